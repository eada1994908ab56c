extension ManagedObjectContext {
    /// Runs a load, and calls the hooks of the filled objects at its end; inside of another load, at the end
    /// of that one.
    ///
    /// At that time every change of the program is in place. Hooks may change or refresh objects.
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

    /// Runs a load for another context, which takes the values as the hooks have left them.
    ///
    /// - Parameter wanted: The objects of the result whose values are taken. If hooks have turned them into
    ///   faults, they are loaded once more, without hooks. Those without a row stay faults.
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

    /// Loads the values that an accessor of an object needs.
    ///
    /// Hooks of the filled objects may release them again. They are then loaded a second time, and a third
    /// time without hooks.
    ///
    /// - Parameter body: A load; its argument indicates whether it is the first one, which other objects may
    ///   share.
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

    /// Calls `awakeFromFetch` of filled objects; if a load is running, at its end.
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

    /// Fills faults from the backing, with one statement per hierarchy. Those whose rows are deleted stay
    /// faults.
    ///
    /// - Parameter comment: The text after each statement that says which code sent it.
    package func load(_ faults: [ManagedObject], comment: String = "") throws {
        try loading { try backing.fill(faults, comment: comment, in: self) }
    }
}
