import Foundation

/// What the variables of a `#Predicate` stand for while it is turned into a tree.
struct LoweringScope {
    typealias Naming = (AnyKeyPath) -> PropertyStep?

    /// Tells the properties of the model from other key paths.
    let naming: Naming
    private var values: [PredicateExpressions.VariableID: LoweredValue] = [:]
    /// Sub-queries around this.
    private var depth = 0
    /// The values of variables that stand for something captured.
    private var bindings = PredicateBindings()

    init(naming: @escaping Naming) { self.naming = naming }

    /// The counterpart of a node: its value where nothing in it depends on the object.
    ///
    /// - Throws: `unsupported` with the node's name where it has none.
    mutating func lower(_ node: some PredicateExpression) throws(PredicateTreeError) -> LoweredValue {
        if let value = constant(node) { return .constant(value) }
        guard let node = node as? any LowerableNode else { throw .unsupportedNode(node) }
        return try node.lower(in: &self)
    }

    /// The counterpart of a node that is true or false.
    mutating func condition(_ node: some PredicateExpression) throws(PredicateTreeError) -> PredicateTree.Node
    {
        try lower(node).truth().holds
    }

    /// The value of a node in which no variable is needed; whatever else fails is lowered part by part.
    private func constant(_ node: some PredicateExpression) -> Any? {
        // Not by the kind of the error: comparing two of Foundation's PredicateErrors never ends (Swift 6.3).
        do { return .some(try node.evaluate(bindings) as Any) } catch { return nil }
    }

    /// What a variable stands for.
    func value(of variable: PredicateExpressions.VariableID) throws(PredicateTreeError) -> LoweredValue {
        if let value = values[variable] { return value }
        throw PredicateTreeError(
            .unsupported,
            "A closure over a to-many relationship uses the object that has the relationship. Compare the "
                + "members only with constants and variables from outside of the #Predicate.")
    }

    /// Lets a variable stand for `value` from here on.
    mutating func bind<T>(_ variable: PredicateExpressions.Variable<T>, to value: LoweredValue) {
        values[variable.key] = value
        bindings[variable] = value.captured(as: T.self)
    }

    /// The scope of a closure over members as a sub-query: `variable` stands for the member, under a name of its own, and the
    /// objects around it stay what they are.
    func subquery<T>(
        _ variable: PredicateExpressions.Variable<T>
    ) -> (scope: LoweringScope, name: String) {
        var scope = self
        scope.depth += 1
        let name = "m\(scope.depth)"
        scope.values[variable.key] = .path(["$" + name])
        return (scope, name)
    }

    /// The scope of a closure over members: `variable` stands for the member, and the object around it is unknown.
    func members<T>(_ variable: PredicateExpressions.Variable<T>) -> LoweringScope {
        var scope = self
        scope.values = [variable.key: .path([])]
        return scope
    }
}

extension PredicateTreeError {
    /// Swift's spelling of the nodes of a #Predicate.
    private static let spellings = [
        "CollectionContainsCollection": "contains(_:)",
        "CollectionIndexSubscript": "a subscript with an index",
        "CollectionRangeSubscript": "a subscript with a range", "ConditionalCast": "'as?'",
        "DictionaryKeyDefaultValueSubscript": "a subscript with a key",
        "DictionaryKeySubscript": "a subscript with a key", "ExpressionEvaluate": "evaluate(_:)",
        "Filter": "filter(_:)", "ForceCast": "'as!'", "ForcedUnwrap": "'!'", "IntRemainder": "%",
        "OptionalFlatMap": "optional chaining", "PredicateEvaluate": "evaluate(_:)",
        "SequenceAllSatisfy": "allSatisfy(_:)", "SequenceContains": "contains(_:)",
        "SequenceContainsWhere": "contains(where:)", "SequenceMaximum": "max()", "SequenceMinimum": "min()",
        "SequenceStartsWith": "starts(with:)", "StringCaseInsensitiveCompare": "caseInsensitiveCompare(_:)",
        "StringContainsRegex": "contains(_:) with a Regex", "StringLocalizedCompare": "localizedCompare(_:)",
        "StringLocalizedStandardContains": "localizedStandardContains(_:)", "TypeCheck": "'is'",
    ]

    /// The error for a node without a counterpart, by the node's own name or a better one.
    static func unsupportedNode(
        _ node: some PredicateExpression, _ better: String? = nil
    ) -> PredicateTreeError {
        let name = better ?? String(String(describing: type(of: node)).prefix { $0 != "<" })
        let remedies = [
            "Filter": "Use contains(where:), or its count.",
            "StringContainsRegex": "Use contains(_:) or starts(with:).",
            "TypeCheck": "Use 'is' only to compare an object with the class of an entity.",
            "ConditionalCast": "Use 'is', or fetch the class itself.",
        ]
        let remedy = remedies[name] ?? "Compute the value first, or filter after the fetch."
        return PredicateTreeError(
            .unsupported, "The database cannot run \(spellings[name] ?? name) of a #Predicate yet. \(remedy)",
            token: name)
    }
}
