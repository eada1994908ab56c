import Foundation

extension PredicateExpressions.Variable: LowerableNode {
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue {
        try scope.value(of: key)
    }
}

extension PredicateExpressions.KeyPath: LowerableNode {
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue {
        guard let step = scope.naming(keyPath) else { return try lowerCommonKeyPath(in: &scope) }
        return try follow(step, from: try scope.lower(root))
    }

    private func follow(
        _ step: PropertyStep, from base: LoweredValue
    ) throws(PredicateTreeError) -> LoweredValue {
        switch (base, step) {
        case (.path(let keys), .property(let name)): return .path(keys + [name])
        case (.path, .objectID): return base
        case (.path(let keys), .count): return .path(keys + [PredicateTree.Expression.countKey])
        case (.path, .isEmpty):
            return .condition(try follow(.count, from: base).compared(.equal, .constant(0)))
        case (.choice(let test, let then, let otherwise), _):
            return .choice(test, try follow(step, from: then), try follow(step, from: otherwise))
        case (.constant, _):
            guard let value: Root.Output = base.captured() else { return .null }
            return .constant(value[keyPath: keyPath])
        case (.condition, _), (.computed, _): throw .unsupportedNode(self)
        }
    }

    /// Lowers `isEmpty` of a string, or of the members that satisfy a condition.
    private func lowerCommonKeyPath(
        in scope: inout LoweringScope
    ) throws(PredicateTreeError) -> LoweredValue {
        guard let kind else { throw unnamed }
        if kind == .collectionIsEmpty, let filter = root as? any FilteringNode {
            return .condition(.opposite(try filter.lowerExistence(in: &scope)))
        }
        if kind == .collectionCount, let filter = root as? any FilteringNode {
            return .computed(
                .joined(try filter.lowerMembers(in: &scope), [PredicateTree.Expression.countKey]))
        }
        if kind == .collectionCount, Root.Output.self is String.Type {
            return try LoweredValue.computed(.length, [try scope.lower(root)])
        }
        if Root.Output.self is any ArrayOutput.Type, !(root is any FilteringNode),
            kind == .collectionCount || kind == .collectionIsEmpty
        {
            let step = kind == .collectionCount ? PropertyStep.count : .isEmpty
            return try follow(step, from: try scope.lower(root))
        }
        guard kind == .collectionIsEmpty, Root.Output.self is String.Type else {
            let name = kind == .collectionCount ? "count" : "\(kind)"
            throw .unsupportedNode(self, "\(name) of \(Root.Output.self)")
        }
        return .condition(try scope.lower(root).compared(.equal, .constant("")))
    }

    /// Indicates whether the path begins at a plain value, which has no JSON in it.
    private static var isScalar: Bool {
        let scalars: [Any.Type] = [Date.self, Data.self, URL.self, UUID.self, Decimal.self]
        return Root.Output.self is any LosslessStringConvertible.Type
            || Root.Output.self is any Collection.Type || scalars.contains { $0 == Root.Output.self }
    }

    private var unnamed: PredicateTreeError {
        if kind == nil, Root.Output.self is any Codable.Type, !Self.isScalar {
            return PredicateTreeError(
                .unknownKey,
                "A #Predicate cannot use the members of \(Root.Output.self). Filter by computed properties "
                    + "after the fetch. If the value is stored as JSON, use a format: matching: "
                    + ".format(\"settings.theme == %@\", …).",
                token: "\(Root.Output.self)")
        }
        return PredicateTreeError(
            .unknownKey,
            "The #Predicate uses a key path of \(Root.Output.self) that its class does not list. It is a "
                + "computed property, or one whose setter is not visible to the predicate. Compare stored "
                + "properties, or name the property in a format: matching: .format(…).",
            token: "\(Root.Output.self)")
    }
}

/// The compiler's view of an array attribute.
private protocol ArrayOutput {}
extension Array: ArrayOutput {}
