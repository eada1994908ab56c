extension ManagedObjectContext {
    /// Runs a load, at whose end the objects that it filled are told; inside of another load, at the end of
    /// that one.
    ///
    /// What hooks change or let go of then is what the load made of it, with every change of the program's in
    /// place.
    func loading<T>(_ body: () throws -> T) rethrows -> T {
        registry.beginLoad()
        defer {
            let ended = registry.endLoad()
            for objects in ended.filled { awaken(objects) }
            for object in ended.toRefresh where object.owner === self && !object.hasChanges {
                refresh(object)
            }
        }
        return try body()
    }

    /// Runs a load for another context, which takes the values afterwards: what hooks have made of them.
    ///
    /// - Parameter wanted: the objects of the result whose values are taken. If hooks have made faults of them,
    ///   they are loaded once more, without hooks; those without a row stay faults.
    func loading<T>(keeping wanted: (T) -> [ManagedObject], _ body: () throws -> T) throws -> T {
        var filled: [ManagedObject] = []
        let result = try loading {
            let result = try body()
            filled = wanted(result).filter { !$0.isFault }
            return result
        }
        let again = filled.filter { $0.isFault && $0.owner === self }
        if again.isEmpty { return result }
        registry.beginLoad()
        defer { _ = registry.endLoad() }
        try backing.fill(again, comment: "", in: self)
        return result
    }

    /// Loads what an accessor of an object asks for.
    ///
    /// Hooks of the objects that are filled may let go of it again. It is then loaded once more, and the
    /// third time without calling them.
    ///
    /// - Parameter body: a load; its argument says whether it is the first one, which others may share.
    func load(
        for object: ManagedObject, until isThere: () -> Bool, _ body: (_ isFirst: Bool) throws -> Void
    ) throws {
        for isFirst in [true, false] {
            try loading { try body(isFirst) }
            if isThere() || object.owner !== self { return }
        }
        registry.beginLoad()
        defer { _ = registry.endLoad() }
        try body(false)
    }

    /// Tells objects that they got their values; at the end of the load, if one is under way.
    func awaken(_ objects: [ManagedObject]) {
        if objects.isEmpty { return }
        if registry.isLoading { return registry.noteFilled(objects) }
        // What an object makes of what it read is no change of the program's.
        unobserved {
            // One that a hook before has made a fault is told when it is filled again, and then not once
            // more.
            for object in objects where object._flags.isDisjoint(with: [.fault, .detached]) {
                if object._flags.remove(.filled) != nil { object.awakeFromFetch() }
            }
        }
    }

    /// Fills faults from the backing, a statement per hierarchy; those whose rows are gone stay faults.
    ///
    /// - Parameter comment: what stands behind each statement, to say whose it is.
    package func load(_ faults: [ManagedObject], comment: String = "") throws {
        try loading { try backing.fill(faults, comment: comment, in: self) }
    }
}
