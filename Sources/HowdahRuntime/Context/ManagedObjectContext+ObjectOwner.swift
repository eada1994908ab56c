import HowdahModel

extension ManagedObjectContext: ObjectOwner {
    package var layouts: [EntityLayout] { store.layouts.entities }

    func seed(for type: ManagedObject.Type) -> _ObjectSeed {
        guard let layout = store.layout(of: type) else {
            preconditionFailure(
                "\(type) is not an entity of the store's model. Add \(type) to the model with which you open the "
                    + "container."
            )
        }
        return seed(for: layout)
    }

    func seed(for layout: EntityLayout) -> _ObjectSeed {
        precondition(
            !layout.isAbstract, "\(layout.name) is abstract. Create an object of one of its sub-entities.")
        return _ObjectSeed(
            layout: layout, owner: self, key: TemporaryKey.next(), flags: flags(.inserted))
    }

    /// Returns the initial flags of a registered object.
    func flags(_ others: _ObjectFlags) -> _ObjectFlags {
        recorder.isWatching ? others.union([.registered, .watched]) : others.union(.registered)
    }

    /// - Throws: `FetchError` for an object that is not of this context, or that the context has released.
    package func checkOwnership(of object: ManagedObject, _ what: String) throws {
        if object.owner === self { return }
        if object.isDetached { throw object.detachedError(what) }
        throw FetchError(
            .invalidRequest,
            "An object of \(object.layout.name) that belongs to another context was \(what). Get that object from "
                + "this context with object(with:) and its objectID.")
    }

    func fail(_ error: any Error) { guarded { throw error } }

    func placeholder(entity: Int) -> ManagedObject {
        precondition(
            !layouts.isEmpty,
            "The store was opened with a model that has no entities. Add the entities that you use to the model."
        )
        let layout =
            layouts[entity].family.lazy.map { self.layouts[$0] }.first { !$0.isAbstract } ?? layouts[entity]
        let object = store.classes[layout].init(
            _ObjectSeed(layout: layout, owner: self, key: TemporaryKey.next(), flags: .fault))
        object.detach(from: self)
        return object
    }

    var isUndoable: Bool { recorder.undo != nil }

    func isArriving(_ object: ManagedObject) -> Bool { registry.arrivingKey(of: object) != nil }

    func noteInsertion(_ object: ManagedObject) {
        registry.insert(object)
        changes.insert(object)
        recorder.noteInsertion(object)
    }

    func noteWrite(_ object: ManagedObject, _ slot: Int) {
        changes.noteLateWrite(object, slot)
        recorder.noteWrite(object, slot)
    }

    func noteListEdit(_ object: ManagedObject, _ state: _ToManyState) {
        changes.noteLateEdit(object, state)
        guard recorder.event != nil, let slot = ContextEvent.slot(of: state, in: object),
            recorder.lacksList(object, slot)
        else { return }
        // The place of what comes or goes is only known with the others at hand.
        if isUndoable, !state.isLoaded, object.layout.relationship(slot).isOrdered {
            _ = object.loadedList(slot)
        }
        recorder.noteListEdit(object, state)
    }

    func noteUpdate(_ object: ManagedObject) {
        object._flags.insert(.updated)
        // A refreshed object that is changed again must not be written twice.
        guard !object._flags.contains(.listed) else { return changes.noteReferences(of: object) }
        object._flags.insert(.listed)
        changes.update(object)
    }

    func forget(_ object: ManagedObject) {
        registry.remove(object)
        registry.forgetFetchedObjects(of: object)
    }

    func registeredObject(root: Int, key: Int64) -> ManagedObject? { registry.find(root: root, key: key) }

    package func object(entity: Int, key: Int64) -> ManagedObject {
        let layout = layouts[entity]
        if let object = registry.find(root: layout.root, key: key) { return object }
        let fault = store.classes[layout].init(
            _ObjectSeed(layout: layout, owner: self, key: key, flags: flags(.fault)))
        registry.insert(fault)
        return fault
    }

    func noteTouched(_ state: _ToManyState) { changes.touch(state) }
}
