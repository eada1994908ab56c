/// How a mapping model comes to the value of one property of a destination object.
///
/// The grammar is that of Core Data's mapping models: predicate operands over the variables `$source`, `$destination`,
/// `$manager`, `$entityMapping`, `$propertyMapping` and `$entityPolicy`, and `FUNCTION(target, 'selector', operands)`.
///
/// ```swift
/// try MappingExpression(format: "$source.price * 100")
/// MappingExpression.destinationInstances(forEntityMappingNamed: "ShelfToShelf", sourceInstances: .source("shelf"))
/// ```
///
/// Limits: those of ``PredicateTree``.
///
/// Source: `NSPropertyMapping.valueExpression`.
public struct MappingExpression: Hashable, Sendable {
    /// The expression as a tree.
    package let root: PredicateTree.Expression

    /// Makes the expression that a front end built.
    ///
    /// - Throws: `tooLarge`.
    package init(_ root: PredicateTree.Expression) throws(PredicateTreeError) {
        let node = PredicateTree.Node.comparison(lhs: root, op: .equal, rhs: .constant(.null))
        let (depth, terms) = node.measured
        if depth > PredicateTree.Limit.depth { throw .tooDeep() }
        if terms > PredicateTree.Limit.terms { throw .tooLarge() }
        self.init(unchecked: root)
    }

    init(unchecked root: PredicateTree.Expression) { self.root = root }

    /// Makes an expression of a format string, taking `arguments` for its placeholders in order, as
    /// ``PredicateTree/init(format:arguments:)`` does.
    ///
    /// - Throws: ``PredicateTreeError``.
    public init(format: String, arguments: [(any Sendable)?] = []) throws(PredicateTreeError) {
        var parser = try PredicateParser(
            format: format, arguments: arguments, receivers: Variable.receivers)
        try self.init(try parser.expression())
    }
}

extension MappingExpression: CustomStringConvertible {
    /// A format string that needs no arguments and parses to an equal expression.
    public var description: String { root.description }
}

extension MappingExpression: Codable {
    /// Reads the expression from its format string.
    ///
    /// - Throws: `DecodingError` with a ``PredicateTreeError`` underneath.
    public init(from decoder: any Decoder) throws {
        let format = try decoder.singleValueContainer().decode(String.self)
        do throws(PredicateTreeError) {
            try self.init(format: format)
        } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: error.message, underlyingError: error)
            )
        }
    }

    /// Writes the expression as its ``description``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
