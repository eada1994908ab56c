import HowdahModel

/// The names of Swift's key paths, if they have any.
struct TypedPath {
    private(set) var names: [String] = []
    /// The position after which the last to-many step is.
    private(set) var lastToMany = 0
    private(set) var toManySteps = 0
    private(set) var error: PredicateTreeError?

    var operand: PredicateTree.Expression { names.isEmpty ? .evaluatedObject : .keyPath(names) }

    func following(_ step: AnyKeyPath) -> TypedPath {
        var path = self
        guard let name = PropertyNames.name(of: step) else {
            path.error = error ?? PredicateTreeError(.unknownKey, PropertyNames.complaint(about: step))
            return path
        }
        path.names.append(name)
        return path
    }

    func followingToMany(_ step: AnyKeyPath) -> TypedPath {
        var path = following(step)
        path.toManySteps += 1
        path.lastToMany = path.names.count
        return path
    }

    /// Returns one value of all members: if one to-many is on the key path, as a component of it, otherwise
    /// as a function.
    func aggregated(_ operation: PredicateTree.KeyPathOperator) -> PredicateTree.Expression {
        if let function = operation.function,
            toManySteps > 1 || operation == .count && names.count > lastToMany
        {
            return .function(function, [operand])
        }
        var names = names
        names.insert(operation.rawValue, at: lastToMany)
        return .keyPath(names)
    }
}
