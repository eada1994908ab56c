import Foundation

/// The values of the variables of a `#Predicate` during its conversion to a tree.
struct LoweringScope {
    typealias Naming = (AnyKeyPath) -> PropertyStep?

    /// The closure that recognises properties of the model among key paths.
    let naming: Naming
    private var values: [PredicateExpressions.VariableID: LoweredValue] = [:]
    /// The number of sub-queries around this one.
    private var depth = 0
    /// The values of variables that have a captured value.
    private var bindings = PredicateBindings()
    private var hasCapturedVariables = false

    init(naming: @escaping Naming) { self.naming = naming }

    /// Returns the counterpart of a node. If no part of the node depends on the object, it is a value.
    ///
    /// - Throws: `unsupported` with the node's name if there is not a counterpart.
    mutating func lower(_ node: some PredicateExpression) throws(PredicateTreeError) -> LoweredValue {
        if let value = constant(node) { return .constant(value) }
        guard let node = node as? any LowerableNode else { throw .unsupportedNode(node) }
        return try node.lower(in: &self)
    }

    /// Returns the counterpart of a node that is true or false.
    mutating func condition(_ node: some PredicateExpression) throws(PredicateTreeError) -> PredicateTree.Node
    {
        try lower(node).truth().holds
    }

    /// Returns the value of a node that needs no variable. If this fails, the node is lowered part by part.
    private func constant<Node: PredicateExpression>(_ node: Node) -> Any? {
        if !hasCapturedVariables, FirstVariables.begins(Node.self) { return nil }
        // Not by the kind of the error: comparing two of Foundation's PredicateErrors never ends (Swift 6.3).
        do { return .some(try node.evaluate(bindings) as Any) } catch { return nil }
    }

    /// Returns the value of a variable.
    func value(of variable: PredicateExpressions.VariableID) throws(PredicateTreeError) -> LoweredValue {
        if let value = values[variable] { return value }
        throw PredicateTreeError(
            .unsupported,
            "A closure over a to-many relationship uses the object that has the relationship. Compare the "
                + "members only with constants and variables from outside of the #Predicate.")
    }

    /// Binds a variable to `value` from now on.
    mutating func bind<T>(_ variable: PredicateExpressions.Variable<T>, to value: LoweredValue) {
        values[variable.key] = value
        guard case .constant = value else {
            bindings[variable] = nil
            return
        }
        bindings[variable] = value.captured(as: T.self)
        hasCapturedVariables = true
    }

    /// Returns the scope of a closure over members as a sub-query.
    ///
    /// There `variable` is the member, under a separate name. The objects around it stay unchanged.
    func subquery<T>(
        _ variable: PredicateExpressions.Variable<T>
    ) -> (scope: LoweringScope, name: String) {
        var scope = self
        scope.depth += 1
        let name = "m\(scope.depth)"
        scope.values[variable.key] = .path(["$" + name])
        return (scope, name)
    }

    /// Returns the scope of a closure over members: `variable` is the member, and the object around it is
    /// unknown.
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

    /// Returns the error for a node without a counterpart, with the node's own name or a better one.
    static func unsupportedNode(
        _ node: some PredicateExpression, _ better: String? = nil
    ) -> PredicateTreeError {
        let name = better ?? String(String(describing: type(of: node)).prefix { $0 != "<" })
        let remedies = [
            "Filter": "Use contains(where:), or append .count or .isEmpty to filter(_:).",
            "StringContainsRegex": "Pass a string to contains(_:) or starts(with:).",
            "TypeCheck": "Use 'is' only to compare an object with the class of an entity.",
            "ConditionalCast":
                "To test the class, use 'is'. To use its properties, fetch objects of that class.",
        ]
        let remedy = remedies[name] ?? "Compute the value first, or filter after the fetch."
        return PredicateTreeError(
            .unsupported, "The database cannot run \(spellings[name] ?? name) of a #Predicate yet. \(remedy)",
            token: name)
    }
}
