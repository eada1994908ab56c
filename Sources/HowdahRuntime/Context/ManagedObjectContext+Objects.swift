import Foundation
public import HowdahModel

extension ManagedObjectContext {
    /// The model of the store that the context works with.
    ///
    /// Source: Core Data's `managedObjectModel` of a coordinator and a container.
    public var managedObjectModel: ManagedObjectModel { store.layouts.model }

    /// Inserts a new object of an entity by name; the object is of the entity's class.
    ///
    /// The entity must be in the model and not abstract. If it is not, the returned object belongs to no
    /// context, and this context fails: the next fetch, save or end of `perform` throws.
    /// ``insertObject(ofEntity:)`` throws at once.
    ///
    /// Source: Core Data's `insertNewObject(forEntityName:into:)`.
    @discardableResult
    public func insert(_ entityName: String) -> ManagedObject {
        do {
            return try insertObject(ofEntity: entityName)
        } catch {
            fail(error)
            return placeholder(entity: store.layouts.layout(named: entityName)?.index ?? 0)
        }
    }

    /// Inserts a new object as ``insert(_:)`` does, for names from outside the program.
    ///
    /// - Throws: `FetchError` with `unknownEntity` if the model has no such entity, or `invalidRequest` if it
    ///   is abstract.
    @discardableResult
    public func insertObject(ofEntity name: String) throws -> ManagedObject {
        guard let layout = store.layouts.layout(named: name) else {
            throw FetchError(
                .unknownEntity,
                "The model has no entity named '\(name)'. Use one of these: \(store.layouts.names).")
        }
        guard !layout.isAbstract else {
            throw FetchError(
                .invalidRequest, "\(layout.name) is abstract. Insert an object of one of its sub-entities.")
        }
        let object = store.classes[layout].init(seed(for: layout))
        object.awake(in: self)
        return object
    }

    /// Returns the object of an id: the registered one, or a fault whose row may not exist.
    ///
    /// The call never queries the database. If the id is of another store or another entity, the returned
    /// fault belongs to no context, and this context fails. The next fetch, save or end of `perform` then
    /// throws. ``existingObject(with:)`` throws at once.
    public func object<Object: ManagedObject>(with id: ObjectID<Object>) -> Object {
        do {
            let layout = try layout(for: id)
            guard let typed = object(entity: layout.index, key: id.key) as? Object else {
                throw FetchError(
                    .foreignID,
                    "The id is that of \(layout.name.article) \(layout.name), which is not a \(Object.self). Use the "
                        + "class of \(layout.name)."
                )
            }
            return typed
        } catch {
            fail(error)
            guard let typed = placeholder(entity: store.layout(of: Object.self)?.index ?? 0) as? Object else {
                preconditionFailure(
                    "The store's model has no entity of class \(Object.self). Add \(Object.self) to the model "
                        + "with which you open the container.")
            }
            return typed
        }
    }

    /// Returns the object of an id, with its row loaded; at most one statement.
    ///
    /// - Throws: `FetchError` with `objectNotFound` if the row does not exist, or `foreignID` if the id
    ///   belongs to another store or is not of this class. `FetchError.database` if the query fails. The
    ///   error of a fault that could not be filled earlier.
    public func existingObject<Object: ManagedObject>(with id: ObjectID<Object>) throws -> Object {
        try throwFailure()
        let layout = try layout(for: id)
        let object = object(entity: layout.index, key: id.key)
        guard let typed = object as? Object else {
            throw FetchError(
                .foreignID,
                "The id is that of \(layout.name.article) \(layout.name), which is not a \(Object.self). Use the "
                    + "class of \(layout.name)."
            )
        }
        if typed.isFault {
            do {
                try load(for: typed, until: { !typed.isFault }) { _ in
                    try load([typed])
                    if typed._flags.isSuperset(of: [.fault, .registered]) { throw typed.notFound }
                }
            } catch {
                throw store.readError(error)
            }
        }
        guard typed._flags.contains(.registered) else {
            // A hook let go of it, by a reset.
            guard typed._flags.contains(.vanished) else { throw typed.detachedError("requested") }
            throw FetchError(
                .foreignID,
                "The id is that of \(layout.name.article) \(layout.name), but the row has another entity. Fetch "
                    + "the object, and use its objectID."
            )
        }
        if typed.isFault || typed._flags.contains(.vanished) || typed.isForgotten { throw typed.notFound }
        return typed
    }

    /// Returns the object of an id if the context knows it already; never queries the database.
    public func registeredObject<Object: ManagedObject>(for id: ObjectID<Object>) -> Object? {
        guard let layout = try? layout(for: id) else { return nil }
        let object = registry.find(root: layout.root, key: id.key)
        return object?.isForgotten == true ? nil : object as? Object
    }

    /// Makes the next save report or merge a conflict if another session changes or deletes this object, even
    /// if the object has no changes.
    ///
    /// Use it for decisions that depend on an object's values, such as "the account is open". The save locks
    /// the row and compares its version, with one statement per table for all such objects and all changed
    /// ones. The version does not move. A save without changes compares nothing.
    ///
    /// Source: Core Data's `detectConflicts(for:)`.
    public func detectConflicts(for object: ManagedObject) {
        let object = object.resolved
        do { try checkOwnership(of: object, "passed to detectConflicts(for:)") } catch { return fail(error) }
        // A version that nobody read guards nothing.
        object._willRead()
        changes.guardVersion(of: object)
    }

    /// Assigns new objects the ids that they will have in the store, before a save; at most one round trip.
    ///
    /// The objects stay new until you save them. If you never save one, its id stays unused.
    ///
    /// Source: Core Data's `obtainPermanentIDs(for:)`.
    ///
    /// - Throws: `FetchError.database` if the query fails; the error of a fault that could not be filled
    ///   earlier.
    public func obtainPermanentIDs(for objects: [ManagedObject]) throws {
        try throwFailure()
        let new = objects.filter { $0.owner === self && $0._flags.contains(.inserted) && $0.key < 0 }
        if !new.isEmpty { try store.checkWritable() }
        do {
            let keys = try backing.permanentKeys(for: new, among: objects, in: self)
            guard !new.isEmpty else { return }
            var parentChanges = ParentChanges(for: self)
            for (object, key) in zip(new, keys) {
                parentChanges.renamed(object, to: key)
                registry.rename(object, to: key)
            }
            tellChildren(parentChanges)
        } catch {
            throw store.readError(error)
        }
    }

    /// Returns a Boolean value that indicates whether an object with this key can exist.
    ///
    /// A temporary key belongs to an object of this context or of one above.
    func mayHave(_ key: Int64, root: Int) -> Bool {
        key >= 0 || registry.find(root: root, key: key) != nil
            || parent?.mayHave(key, root: root) ?? false
    }

    package func layout<Object>(for id: ObjectID<Object>) throws -> EntityLayout {
        guard id.storeIdentifier == store.identifier else {
            throw FetchError(.foreignID, "The id is of another store. Use it in a context of that store.")
        }
        guard let layout = store.layouts.layout(storedName: id.entityName) else {
            throw FetchError(
                .foreignID,
                "The id's entity '\(id.entityName)' is not in this store's model. Open the store with a model that "
                    + "has '\(id.entityName)'."
            )
        }
        if !mayHave(id.key, root: layout.root) {
            throw FetchError(
                .foreignID,
                "The id is temporary, and this context does not have its object. Save the object, and read its id "
                    + "again."
            )
        }
        return layout
    }
}

extension ManagedObject {
    /// Creates a new object of this class in a context; the next save inserts it.
    public convenience init(context: ManagedObjectContext) {
        self.init(context.seed(for: Self.self))
        awake(in: context)
    }

    final func awake(in context: ManagedObjectContext) {
        for (slot, value) in layout.defaults { _ = _assign(value.normalized, at: slot) }
        context.noteInsertion(self)
        _setInitialValues()
        awakeFromInsert()
    }

    package var isDisjointFromStore: Bool { _flags.contains(.inserted) }

    var notFound: FetchError {
        let id: ObjectID<ManagedObject> = objectID
        let message =
            isForgotten
            ? "The \(layout.name) with this id was deleted before it was saved. Discard the id."
            : "The \(layout.name) with this id "
                + (managedObjectContext?.backing.absence ?? "is no longer in the store. Discard the id.")
        return FetchError(.objectNotFound, message, objectURI: id.uriRepresentation.absoluteString)
    }
}

extension ManagedObjectContext {
    /// Makes partial objects read their values again, because rows were written that may be theirs.
    func forgetParts() {
        guard registry.takeParts() else { return }
        for object in registry.all { object.forgetPart() }
    }
}
