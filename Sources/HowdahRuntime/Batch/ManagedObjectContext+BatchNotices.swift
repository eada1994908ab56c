public import HowdahModel

extension ManagedObjectContext {
    /// How many ids are in one notice.
    private static var idsPerNotice: Int { 10_000 }

    /// Tells those who follow the store what a batch request did, once it is committed. This context follows as others do:
    /// its objects do not know.
    func tell(
        inserted: [BatchOutcome.Rows] = [], updated: [BatchOutcome.Rows] = [],
        deleted: [BatchOutcome.Rows] = []
    ) {
        let telling = { [followed] in
            for part in inserted.parts(of: Self.idsPerNotice) {
                followed.tell(SaveNotice(inserted: part), besides: nil)
            }
            for part in updated.parts(of: Self.idsPerNotice) {
                followed.tell(SaveNotice(updated: part), besides: nil)
            }
            for part in deleted.parts(of: Self.idsPerNotice) {
                followed.tell(SaveNotice(deleted: part), besides: nil)
            }
        }
        if let unit, unit.isTransaction { unit.afterCommit(telling) } else { telling() }
    }
}

extension [BatchOutcome.Rows] {
    /// The ids, some at a time: a million of them need not be there at once.
    fileprivate func parts(of size: Int) -> some Sequence<[ObjectID<ManagedObject>]> {
        lazy.flatMap { rows in
            stride(from: 0, to: rows.keys.count, by: size).lazy.map { start in
                rows.ids(start..<Swift.min(start + size, rows.keys.count)) as [ObjectID<ManagedObject>]
            }
        }
    }
}

extension BatchInsertResult {
    /// What to give to `mergeChanges(from:)` of contexts that are to follow; says nothing unless ids were asked for.
    public var notice: SaveNotice {
        SaveNotice(
            inserted: insertedObjectIDs.map { $0.typed() }, updated: updatedObjectIDs.map { $0.typed() })
    }
}

extension BatchUpdateResult {
    /// What to give to `mergeChanges(from:)` of contexts that are to follow; says nothing unless ids were asked for.
    public var notice: SaveNotice { SaveNotice(updated: objectIDs.map { $0.typed() }) }
}

extension BatchDeleteResult {
    /// What to give to `mergeChanges(from:)` of contexts that are to follow; says nothing unless ids were asked for.
    public var notice: SaveNotice { SaveNotice(deleted: objectIDs.map { $0.typed() }) }
}
