extension MergeConflict {
    /// Resolves the conflict in memory.
    ///
    /// - Throws: `FetchError` for a stored value that the object's class cannot read; the object is then
    ///   unchanged.
    func resolve(by type: MergePolicy.MergeType) throws {
        guard type != .error, let context = object.managedObjectContext else { return }
        if !lost.isEmpty {
            for lost in lost { try lost.resolve(by: type, stored) }
            return object.awakeFromSnapshotEvents(.mergePolicy)
        }
        let isOurs = type == .mergeByPropertyObjectTrump || type == .overwrite
        let isDeletedHere = object._flags.contains(.deleted)
        switch (stored, isDeletedHere) {
        case (nil, true): context.forgetDeletedRow(object)
        case (nil, false) where isOurs: context.reinsert(object)
        case (nil, false): context.forgetDeletedRow(object)
        case (let stored?, true) where isOurs: object.acceptBeforeDeletion(stored)
        case (let stored?, true):
            try object.checkReadable(stored, object.layout.slots.indices.filter { stored.values[$0] != nil })
            object._flags.subtract([.deleted, .prepared])
            try object.merge(stored, by: .rollback)
            context.takeBackPropagation(of: object)
            // What was read of its to-manys, and of one-to-ones without a column here, is older than the row.
            object.forgetPartners()
            context.mergeLists(of: object, keeping: [])
        case (let stored?, false) where object._flags.contains(.inserted):
            try context.mergeStoredAgain(object, with: stored, by: type)
        case (let stored?, false): try object.merge(stored, by: type, otherLists: lists)
        }
        if object.owner != nil { object.awakeFromSnapshotEvents(.mergePolicy) }
    }
}
