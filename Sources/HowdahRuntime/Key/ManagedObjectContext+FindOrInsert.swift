import HowdahModel

extension ManagedObjectContext {
    /// Returns the object that has a unique value, and inserts and stores one if there is none.
    ///
    /// ```swift
    /// let tag = try context.findOrInsert(Tag.self, by: \.name, "swift") { tag in tag.color = "orange" }
    /// ```
    /// Any number of processes may call this at the same time with one value: none of them fails, and there
    /// is one row. Unsaved objects of the context are found first, without a statement. The call sends one
    /// statement if the row exists, and two if it does not. It sends a third one only if another session
    /// inserts the row between the two.
    ///
    /// A new object is stored at once, and alone: other unsaved changes of the context stay unsaved. It is
    /// stored as a save stores it, with its hooks and all rules. Without an isolation of `perform` it is
    /// committed when the call returns. In a transaction it is a part of it, and a rollback makes the object
    /// unsaved again.
    ///
    /// - Parameters:
    ///   - type: The class of a new object. It may be found as an object of a subclass.
    ///   - attribute: An attribute with a uniqueness constraint.
    ///   - value: The attribute's value, not nil.
    ///   - setUp: Sets the other properties of a new object. It is not called if the object exists. It may set
    ///     attributes, and to-one relationships to saved objects. It must not save the context.
    /// - Throws: `FetchError.invalidRequest` if the attribute has no uniqueness constraint, or if the value is
    ///   nil. Also if `setUp` sets relationships that other rows keep or deletes the object, in a child
    ///   context, and while the context runs a batch. `SaveError.validation` if the class or `setUp` changes
    ///   the value. `SaveError.readOnly` if the container only reads, and the object does not exist.
    ///   `SaveError.uniqueness` if an object of another class has the value, or another unique value is
    ///   taken. `SaveError.database` if a trigger of the table or a row policy leaves the object out.
    ///   `SaveError.serializationFailure` in a transaction that cannot see the row; `perform` with
    ///   `retrying:` runs its body again. The errors of ``save()`` and ``fetch(_:)``, and of `setUp`. The
    ///   context has no new object then.
    public func findOrInsert<Object: ManagedObject, Value: AttributeValue>(
        _ type: Object.Type, by attribute: ReferenceWritableKeyPath<Object, Value>, _ value: Value,
        setUp: (Object) throws -> Void = { _ in }
    ) throws -> Object {
        try findOrInsert(type, by: (attribute, value), setUp: setUp)
    }

    /// Returns the object that has the values of a uniqueness constraint, and inserts and stores one if there
    /// is none.
    ///
    /// ```swift
    /// try context.findOrInsert(Tag.self, by: (\.name, "swift"), (\.language, "en"))
    /// ```
    /// Members are attributes and to-one relationships to saved objects, in any order. Otherwise the call is
    /// that for one attribute.
    ///
    /// - Parameters:
    ///   - type: The class of a new object. It may be found as an object of a subclass.
    ///   - members: Each member of the constraint, with its value.
    ///   - setUp: Sets the other properties of a new object.
    /// - Throws: The errors of the form for one attribute.
    public func findOrInsert<Object: ManagedObject, each Member>(
        _ type: Object.Type, by members: repeat (ReferenceWritableKeyPath<Object, each Member>, each Member),
        setUp: (Object) throws -> Void = { _ in }
    ) throws -> Object {
        try throwFailure()
        try checkConnection()
        try checkNoOpenWriting("findOrInsert")
        let layout = try layout(for: FetchRequest<Object>())
        var given: [UniqueKey.Member] = []
        for member in repeat each members {
            given.append(.init(path: member.0, value: member.1))
        }
        let key = try UniqueKey(given, of: layout, in: self)
        return try findOrInsert(type, key, layout) { object in
            for member in repeat each members { object[keyPath: member.0] = member.1 }
            try setUp(object)
        }
    }

    private func findOrInsert<Object: ManagedObject>(
        _ type: Object.Type, _ key: UniqueKey, _ layout: EntityLayout, setUp: (Object) throws -> Void
    ) throws -> Object {
        // Another session may delete the row again that kept this one from inserting it.
        var attempt = 0
        while true {
            attempt += 1
            if let found = try repeatingRaces({ try key.find(in: self) }) {
                guard let typed = found as? Object, layout.family.contains(found.layout.index) else {
                    throw key.taken(by: found.layout)
                }
                return typed
            }
            try store.checkWritable()
            try key.checkInsertion(in: layouts)
            let object = try insertObject(ofEntity: layout.name)
            // The last statement lets the server say whether a row has the values, or a trigger left the object out.
            let isLast = attempt >= Self.insertionLimit
            do {
                guard let typed = object as? Object else {
                    throw FetchError(
                        .invalidRequest,
                        "The class of \(layout.name) is not \(Object.self). Use the class of \(layout.name).")
                }
                try changes.opening(.insertion) { try setUp(typed) }
                try throwFailure()
                let insertion = SoleInsertion(
                    typed, unless: isLast ? nil : key.arbiter, in: self, checkKey: key.check)
                if try insertion.run() { return typed }
                if isLast { throw Conflicts.unwritten(layout.name) }
                delete(object)
            } catch {
                // The program's code may have reset the context.
                if object.owner === self { delete(object) }
                guard isLast, let error = error as? SaveError, key.isTaken(error) else { throw error }
                throw key.hidden(error)
            }
        }
    }

    /// The number of times that findOrInsert looks for the row and tries to insert it.
    private static var insertionLimit: Int { 10 }

    /// Runs a fetch again if it loses a race outside of a transaction, where the role or the database chooses the
    /// isolation.
    private func repeatingRaces<T>(_ body: () throws -> T) throws -> T {
        var attempt = 1
        while true {
            do {
                return try body()
            } catch let error as FetchError
                where attempt < SaveAttempts.attemptLimit && unit?.isTransaction != true
                && error.databaseError?.isConcurrencyConflict == true
            {
                attempt += 1
                RetryPause.waitAfterDeadlock(before: attempt)
            }
        }
    }
}
