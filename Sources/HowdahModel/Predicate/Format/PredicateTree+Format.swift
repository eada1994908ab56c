extension PredicateTree {
    /// Makes a tree of a format string, taking `arguments` for its placeholders in order.
    ///
    /// Does not throw: a tree of a wrong format carries the error, and the fetch that uses it throws it.
    public static func format(_ format: String, _ arguments: (any Sendable)?...) -> PredicateTree {
        do throws(PredicateTreeError) {
            return try PredicateTree(format: format, arguments: arguments)
        } catch {
            return PredicateTree(error)
        }
    }

    /// Makes a tree of a format string, taking `arguments` for its placeholders in order.
    ///
    /// ```swift
    /// let adas = try PredicateTree(format: "name == %@ AND age > %d", "Ada", 30)
    /// ```
    /// Source: `NSPredicate(format:_:)`.
    ///
    /// - Throws: as ``init(format:arguments:)``.
    public init(format: String, _ arguments: (any Sendable)?...) throws(PredicateTreeError) {
        try self.init(format: format, arguments: arguments)
    }

    /// Makes a tree of a format string, taking `arguments` for its placeholders in order.
    ///
    /// Integers, floating-point numbers, `Decimal`, `Bool`, `String`, `Date`, `Data`, `UUID`, `URL`, ``ObjectID``,
    /// raw-representable types over these, arrays and sets of these, and nil are understood.
    ///
    /// - Throws: `syntax`, `unsupported`, `argumentCount`, `argumentType`, `invalidOperand` or `tooLarge`.
    public init(format: String, arguments: [(any Sendable)?] = []) throws(PredicateTreeError) {
        var parser = try PredicateParser(format: format, arguments: arguments)
        self.init(try parser.condition())
        if let error { throw error }
    }

    /// The key paths of a format whose operands do not suit their operators; nil if the format has any other fault.
    package static func keyPaths(ofFormat format: String, arguments: [(any Sendable)?]) -> [[String]]? {
        guard var parser = try? PredicateParser(format: format, arguments: arguments),
            let root = try? parser.parse()
        else { return nil }
        return PredicateTree(root).keyPaths
    }
}
