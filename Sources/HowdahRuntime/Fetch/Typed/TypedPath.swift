import HowdahModel

/// The names that Swift's key paths stand for, as far as they have any.
struct TypedPath {
    private(set) var names: [String] = []
    /// Behind which name the last to-many step is.
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

    /// One value of all members: as a component of the key path where one to-many is on it, else as a function over all.
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
