import HowdahModel

extension ManagedObjectContext {
    /// Returns the stored partner of a one-to-one whose column is in the partner's row.
    func committedPartner(of object: ManagedObject, _ relationship: RelationshipLayout) -> ManagedObject? {
        guard let inverse = relationship.inverse else { return nil }
        if let former = changedObjects.first(where: { $0.formerly(inverse, ledTo: object) ?? false }) {
            return former
        }
        let present = object.destination(relationship.slot)
        return present.flatMap { $0._flags.contains(.inserted) || $0.isWritten(inverse) ? nil : $0 }
    }

    /// Returns the stored members of a to-many: the present ones without the unsaved changes.
    func committedMembers(of object: ManagedObject, _ relationship: RelationshipLayout) -> [ManagedObject] {
        let present = object.membersOf(relationship.slot)
        var (came, went): ([ManagedObject], [ManagedObject]) = ([], [])
        if let inverse = relationship.inverse, !relationship.inverseIsToMany {
            came = present.filter {
                $0._flags.contains(.inserted) || $0.formerly(inverse, ledTo: object) == false
            }
            went = changedObjects.filter { $0.formerly(inverse, ledTo: object) ?? false }
        } else {
            for link in links.all {
                let other: ManagedObject
                if link.owner === object, link.slot == relationship.slot {
                    other = link.member
                } else if link.member === object, link.inverse == relationship.slot {
                    other = link.owner
                } else {
                    continue
                }
                if link.isInsertion { came.append(other) } else { went.append(other) }
            }
        }
        let gained = Set(came.map(ObjectIdentifier.init))
        let known = Set(present.map(ObjectIdentifier.init))
        var members = present.filter { !gained.contains(ObjectIdentifier($0)) }
        members += went.filter { !known.contains(ObjectIdentifier($0)) }
        guard relationship.isOrdered, let numbers = object._toManyState(at: relationship.slot)?.numbers else {
            return members
        }
        return members.sorted { (numbers[$0.key] ?? .max, $0.key) < (numbers[$1.key] ?? .max, $1.key) }
    }

    private var changedObjects: [ManagedObject] { updated.filter { $0._flags.contains(.updated) } }
}

extension ManagedObject {
    /// Returns true if a changed to-one referred to `object` when it was read. It is nil if unchanged.
    fileprivate final func formerly(_ slot: Int, ledTo object: ManagedObject) -> Bool? {
        guard layout.slots.indices.contains(slot),
            case .toOne(let field)? = changes?.originals.first(where: { $0.slot == slot })?.original
        else { return nil }
        return field.entity >= 0
            && (field.object === object || field.object == nil && field.key == object.key)
    }
}
