import Foundation
public import HowdahModel

extension ManagedObjectContext {
    /// Makes a new object of an entity by name; the object is of the entity's class.
    ///
    /// The entity must be one of the model's and not abstract; a wrong name is a programming error.
    ///
    /// Source: Core Data's `insertNewObject(forEntityName:into:)`.
    @discardableResult
    public func insert(_ entityName: String) -> ManagedObject {
        guard let layout = store.layouts.layout(named: entityName) else {
            preconditionFailure(
                "the model has no entity named '\(entityName)'; it names \(store.layouts.names)")
        }
        let object = store.classes[layout].init(seed(for: layout))
        object.awake(in: self)
        return object
    }

    /// Marks an object for deletion by the next save; a new object is simply forgotten.
    ///
    /// Delete rules are applied by the save, in the database too: what they reach need not be loaded.
    public func delete(_ object: ManagedObject) {
        precondition(
            !object._flags.contains(.detached),
            "a \(object.layout.name) was deleted after \(object.whyDetached)")
        precondition(
            object.owner === self,
            "an object is deleted in its own context; pass its objectID and fetch it here")
        guard !object._flags.contains(.deleted) else { return }
        object._flags.insert(.deleted)
        deleted.append(object)
    }

    /// The object of an id: the registered one, or a fault whose row may turn out to be gone.
    ///
    /// Never asks the database. An id of another store or of an entity the model lacks is a programming error
    /// here; use ``existingObject(with:)`` for ids from outside.
    public func object<Object: ManagedObject>(with id: ObjectID<Object>) -> Object {
        do {
            let layout = try layout(for: id)
            let object = object(entity: layout.index, key: id.key)
            guard let typed = object as? Object else {
                preconditionFailure("the id names a \(layout.name), which is no \(Object.self)")
            }
            return typed
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// The object of an id, with its row loaded; at most one statement.
    ///
    /// - Throws: `FetchError` with `objectNotFound` where the row is gone, `foreignID` where the id belongs to
    ///   another store or is not of this class, `database` where the server could not be asked.
    public func existingObject<Object: ManagedObject>(with id: ObjectID<Object>) throws -> Object {
        try throwFailure()
        let layout = try layout(for: id)
        let object = object(entity: layout.index, key: id.key)
        guard let typed = object as? Object else {
            throw FetchError(.foreignID, "The id names a \(layout.name), which is no \(Object.self).")
        }
        if typed.isFault { try load([typed]) }
        guard typed._flags.contains(.registered) else {
            throw FetchError(
                .foreignID,
                "The id names a \(layout.name), but the row is of another entity; use the row's own id.")
        }
        if typed.isFault || typed._flags.contains(.vanished) { throw typed.notFound }
        return typed
    }

    /// The object of an id if the context knows it already; never asks the database.
    public func registeredObject<Object: ManagedObject>(for id: ObjectID<Object>) -> Object? {
        guard let layout = try? layout(for: id) else { return nil }
        return identityMaps.find(root: layout.root, key: id.key) as? Object
    }

    /// Makes an object show what the store holds now: it becomes a fault, and its changes are dropped.
    public func refresh(_ object: ManagedObject) {
        guard object.owner === self, object.isDisjointFromStore == false else { return }
        restoreInverses(of: object)
        object.turnIntoFault()
        reapplyChanges(of: object)
    }

    /// Takes an object whose changes are dropped out of where they put it, and puts it back where it was.
    private func restoreInverses(of object: ManagedObject) {
        for (slot, original) in object.changes?.originals ?? [] {
            guard case .toOne(let field) = original,
                let relationship = object.layout.slots[slot].relationship, !relationship.isTransient,
                let inverse = relationship.inverse
            else { continue }
            let former =
                field.object
                ?? (field.entity >= 0
                    ? identityMaps.find(root: layouts[Int(field.entity)].root, key: field.key) : nil)
            let present = object._toOneField(at: slot).object
            guard former !== present else { continue }
            if relationship.isSelfInverse {
                // The present partner's own change stays, and then also what it did to the former one.
                let isKept = present.map { $0._toOneField(at: inverse).object === object } ?? false
                if !isKept, let former, !former.isFault, former.destination(inverse) == nil {
                    former._assignToOne(
                        ToOneField(key: object.key, entity: Int32(object.layout.index), object: object),
                        at: inverse)
                }
            } else if relationship.inverseIsToMany {
                present?.toManyState(inverse).restore(object, isStored: false)
                former?.toManyState(inverse).restore(object, isStored: true)
            } else {
                for partner in [former, present] {
                    guard let partner, !partner.isFault else { continue }
                    partner._assignToOne(partner._flags.contains(.inserted) ? .none : .unknown, at: inverse)
                }
            }
        }
    }

    /// Gives a refreshed object back what unsaved changes of other objects made of its relationships.
    private func reapplyChanges(of object: ManagedObject) {
        for other in insertedObjects + updatedObjects where other !== object {
            for slot in other.layout.relationshipSlots {
                guard case .toOne(let relationship) = other.layout.slots[slot].kind,
                    let inverse = relationship.inverse, other._toOneField(at: slot).object === object,
                    other._flags.contains(.inserted) || other.isWritten(slot),
                    case .foreignKey = relationship.storage
                else { continue }
                if relationship.inverseIsToMany {
                    object.noteMember(other, inverse, isInsertion: true)
                } else {
                    // Where the relationship is its own inverse, this side has a column of its own.
                    if relationship.isSelfInverse { object._willWrite(inverse) } else { object._willRead() }
                    object._assignToOne(
                        ToOneField(key: other.key, entity: Int32(other.layout.index), object: other),
                        at: inverse)
                }
            }
        }
        for link in links.all where link.owner === object || link.member === object {
            noteMembership(of: link)
        }
    }

    /// Drops all changes: new objects are forgotten, deleted ones return, changed ones get their values back.
    ///
    /// Source: Core Data's `rollback()`.
    public func rollback() {
        for object in updated where object._flags.contains(.updated) { object.revertChanges() }
        for object in deleted where object._flags.contains(.deleted) { object._flags.remove(.deleted) }
        for object in inserted where object._flags.contains(.inserted) {
            forget(object)
            object.detach()
        }
        for state in touched { state.revert() }
        for object in identityMaps.all {
            object.releaseMembers()
            object.forgetPartners()
            object._flags.remove(.linksChanged)
        }
        forgetChanges()
        failure = nil
    }

    func layout<Object>(for id: ObjectID<Object>) throws -> EntityLayout {
        guard id.storeIdentifier == store.identifier else {
            throw FetchError(.foreignID, "The id belongs to another store.")
        }
        guard let layout = store.layouts.layout(storedName: id.entityName) else {
            throw FetchError(.foreignID, "The id's entity '\(id.entityName)' is not in this store's model.")
        }
        if id.isTemporaryID, identityMaps.find(root: layout.root, key: id.key) == nil {
            throw FetchError(
                .foreignID,
                "The id is temporary and its object is not here; save the object, then ask its id again.")
        }
        return layout
    }
}

extension ManagedObject {
    /// Makes a new object of this class in a context; the next save inserts it.
    public convenience init(context: ManagedObjectContext) {
        self.init(context.seed(for: Self.self))
        awake(in: context)
    }

    /// The context the object belongs to; nil once that ended.
    public final var managedObjectContext: ManagedObjectContext? { owner as? ManagedObjectContext }

    final func awake(in context: ManagedObjectContext) {
        for (slot, value) in layout.defaults { _ = _assign(value.normalized, at: slot) }
        context.noteInsertion(self)
        _setInitialValues()
    }

    var isDisjointFromStore: Bool { _flags.contains(.inserted) }

    /// Lets go of members that the store has, to be read again.
    final func releaseMembers() {
        for slot in layout.relationshipSlots {
            if case .toMany(let relationship) = layout.slots[slot].kind, !relationship.isTransient {
                _assignToMany(nil, at: slot)
            }
        }
    }

    /// Has the other sides of one-to-ones looked up again: they have no column of their own, and no original to
    /// put back.
    fileprivate final func forgetPartners() {
        guard !isFault else { return }
        for slot in layout.relationshipSlots {
            guard case .toOne(let relationship) = layout.slots[slot].kind,
                case .inverse = relationship.storage
            else { continue }
            _assignToOne(.unknown, at: slot)
        }
    }

    var notFound: FetchError {
        let id: ObjectID<ManagedObject> = objectID
        return FetchError(
            .objectNotFound, "The \(layout.name) with this id is no longer in the store.",
            objectURI: id.uriRepresentation.absoluteString)
    }
}
