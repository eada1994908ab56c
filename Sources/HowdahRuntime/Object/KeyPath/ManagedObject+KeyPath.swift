import HowdahModel

extension ManagedObjectIdentity {
    /// Returns the value at the end of a key path: across relationships, into composites, and through
    /// collection operators.
    ///
    /// The value has the form of ``value(forKey:)``. After a to-many relationship the result is an array with
    /// a value for each member, nil for a member that has none. `projects.@count` and the other operators
    /// reduce it to one value:
    ///
    /// - `@count`: `Int64`, without loading the members.
    /// - `@sum.key`: `Int64` of integers, `Decimal` of decimals, `Double` of Doubles and Floats; 0 of none.
    /// - `@avg.key`: `Decimal` of integers and decimals, `Double` of Doubles and Floats; 0 of none.
    /// - `@min.key`, `@max.key`: the least or greatest value, in the order of predicates; nil of none.
    /// - `@unionOfObjects.key`: the values. `@distinctUnionOfObjects.key`: each of them once.
    /// - `@unionOfArrays.key`, `@unionOfSets.key`: the members of the collections that the key refers to.
    ///   `@distinctUnionOfArrays.key`, `@distinctUnionOfSets.key`: each of these members once.
    ///
    /// All operators leave out nil values. For arrays of scalars the key is `self`. The call loads the
    /// objects that the path crosses, with one statement per relationship for all objects that were loaded
    /// together.
    ///
    /// If the path does not fit the model, the result is nil and the context fails: the next fetch, save or
    /// end of `perform` throws. ``get(_:)`` throws at once.
    ///
    /// Source: Core Data's `value(forKeyPath:)`.
    public func value(forKeyPath keyPath: String) -> Any? {
        orFail {
            try checkKeyPath(keyPath)
            return try value(forPath: keyPath.pathNames[...])
        } ?? nil
    }

    /// Sets the property at the end of a key path, across relationships and into composites.
    ///
    /// If a to-one relationship on the path has no destination, nothing happens. After a to-many relationship
    /// the property of each member is set. Values and errors are those of ``setValue(_:forKey:)``. Operators
    /// cannot be set.
    ///
    /// Source: Core Data's `setValue(_:forKeyPath:)`.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        orFail { try put(value, atPath: keyPath) }
    }
}

extension ManagedObject {
    final func put(_ value: Any?, atPath keyPath: String) throws {
        try checkKeyPath(keyPath)
        let path = keyPath.pathNames
        guard !path.contains(where: { $0.hasPrefix("@") }) else {
            throw FetchError(
                .invalidRequest,
                "The key path '\(keyPath)' of \(layout.name) has an operator, and the result of an operator "
                    + "cannot be set. Remove the operator."
            )
        }
        try put(value, at: path[...])
    }

    fileprivate final func put(_ value: Any?, at path: ArraySlice<String>) throws {
        guard let first = path.first, let slot = layout.slotsByName[first], path.count > 1,
            layout.slots[slot].relationship != nil
        else { return try put(value, at: path.joined(separator: ".")) }
        if case .toMany = layout.slots[slot].kind {
            for member in membersOf(slot) { try member.put(value, at: path.dropFirst()) }
        } else {
            try destination(slot)?.put(value, at: path.dropFirst())
        }
    }

    /// Evaluates a path for the members of a collection, which are of `entity` or its sub-entities.
    final func value(
        of members: [ManagedObject], entity: Int?, forPath path: ArraySlice<String>
    ) throws -> Any? {
        guard let name = path.first else { return members }
        guard let operation = CollectionOperator(rawValue: name) else {
            return try members.map { try $0.value(forPath: path) }
        }
        let rest = path.dropFirst()
        if rest.isEmpty || rest == ["self"] { return operation.result(of: members) }
        var type: AttributeType?
        if operation.isArithmetic, let entity, let layouts = owner?.layouts {
            type = KeyPathCheck.type(of: rest, from: layouts[entity].family, in: layouts)
        }
        return operation.result(of: try members.map { try $0.value(forPath: rest) }, as: type)
    }

    final func checkKeyPath(_ keyPath: String) throws {
        guard let owner, keyPath.utf8.contains(UInt8(ascii: ".")) else { return }
        try KeyPathCheck.check(keyPath, from: layout, in: owner.layouts)
    }
}

extension String {
    /// The names of a dotted key path.
    var pathNames: [String] { split(separator: ".", omittingEmptySubsequences: false).map(String.init) }
}
