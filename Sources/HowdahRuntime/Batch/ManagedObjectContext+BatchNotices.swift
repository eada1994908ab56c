public import HowdahModel

extension ManagedObjectContext {
    /// The number of ids in one notice.
    private static var idsPerNotice: Int { 10_000 }

    /// Notifies the contexts that follow the store of a batch request's changes, after it is committed.
    ///
    /// This context follows as others do: its objects do not have the changes.
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
    /// Returns the ids in parts, so that a million of them are not in memory at once.
    fileprivate func parts(of size: Int) -> some Sequence<[ObjectID<ManagedObject>]> {
        lazy.flatMap { rows in
            stride(from: 0, to: rows.keys.count, by: size).lazy.map { start in
                rows.ids(start..<Swift.min(start + size, rows.keys.count)) as [ObjectID<ManagedObject>]
            }
        }
    }
}

extension BatchInsertResult {
    /// The notice for `mergeChanges(from:)` of contexts that follow; empty unless you requested the ids.
    public var notice: SaveNotice {
        SaveNotice(
            inserted: insertedObjectIDs.map { $0.typed() }, updated: updatedObjectIDs.map { $0.typed() })
    }
}

extension BatchUpdateResult {
    /// The notice for `mergeChanges(from:)` of contexts that follow; empty unless you requested the ids.
    public var notice: SaveNotice { SaveNotice(updated: objectIDs.map { $0.typed() }) }
}

extension BatchDeleteResult {
    /// The notice for `mergeChanges(from:)` of contexts that follow; empty unless you requested the ids.
    public var notice: SaveNotice { SaveNotice(deleted: objectIDs.map { $0.typed() }) }
}
