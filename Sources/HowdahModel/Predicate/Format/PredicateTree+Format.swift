extension PredicateTree {
    /// Returns a tree of a format string, with `arguments` for its placeholders in order.
    ///
    /// It does not throw: if the format is wrong, the tree carries the error, and the fetch that uses the
    /// tree throws it.
    public static func format(_ format: String, _ arguments: (any Sendable)?...) -> PredicateTree {
        do throws(PredicateTreeError) {
            return try PredicateTree(format: format, arguments: arguments)
        } catch {
            return PredicateTree(error)
        }
    }

    /// Creates a tree of a format string, with `arguments` for its placeholders in order.
    ///
    /// ```swift
    /// let adas = try PredicateTree(format: "name == %@ AND age > %d", "Ada", 30)
    /// ```
    /// Source: `NSPredicate(format:_:)`.
    ///
    /// - Throws: The errors of ``init(format:arguments:)``.
    public init(format: String, _ arguments: (any Sendable)?...) throws(PredicateTreeError) {
        try self.init(format: format, arguments: arguments)
    }

    /// Creates a tree of a format string, with `arguments` for its placeholders in order.
    ///
    /// - Parameter arguments: Integers, floating-point numbers, `Decimal`, `Bool`, `String`, `Date`, `Data`,
    ///   `UUID`, `URL`, ``ObjectID``, raw-representable types over these, arrays and sets of these, and nil.
    /// - Throws: `PredicateTreeError` with `syntax`, `unsupported`, `argumentCount`, `argumentType`,
    ///   `invalidOperand` or `tooLarge`.
    public init(format: String, arguments: [(any Sendable)?] = []) throws(PredicateTreeError) {
        if let known = PredicateTemplates.shared.tree(of: format, arguments) {
            self = known
            return
        }
        try self.init(parsing: format, arguments)
        PredicateTemplates.shared.note(format, arguments)
    }

    /// Reads the whole format, whether or not it is known.
    init(parsing format: String, _ arguments: [(any Sendable)?]) throws(PredicateTreeError) {
        var parser = try PredicateParser(format: format, arguments: arguments)
        self.init(try parser.condition())
        if let error { throw error }
    }

    /// Returns the key paths of a format, even if its operands do not suit their operators.
    ///
    /// If the format has any other fault, the result is nil.
    package static func keyPaths(ofFormat format: String, arguments: [(any Sendable)?]) -> [[String]]? {
        guard var parser = try? PredicateParser(format: format, arguments: arguments),
            let root = try? parser.parse()
        else { return nil }
        return PredicateTree(root).keyPaths
    }
}
