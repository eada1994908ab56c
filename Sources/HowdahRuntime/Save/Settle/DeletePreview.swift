public import HowdahModel
import PQClient

/// The effects of a deletion by the delete rules and the stored data: a value that you can print.
public struct DeletePreview: Sendable, CustomStringConvertible {
    /// The ids of the objects that would be deleted, by entity, ascending, including those that you passed.
    public let deleted: [String: [ObjectID<ManagedObject>]]
    /// The to-one relationships that would lose their destination.
    public let nullified: [Loss]
    /// The relationships with a join table whose destinations would stay, and lose the link.
    public let unlinked: [Loss]
    /// The issues with which a save would refuse the deletion, by object or entity and relationship.
    ///
    /// They are rules that deny, and required relationships that would lose their destination.
    public let issues: [ValidationIssue]
    /// A Boolean value that indicates whether the preview ended at a limit, so that there are more effects.
    package let isCut: Bool

    /// One relationship and the objects concerned.
    public struct Loss: Sendable {
        /// The entity that has the relationship.
        public let entityName: String
        /// The relationship.
        public let relationship: String
        /// The objects that stay and lose a destination; for links, those at the other end.
        public let objectIDs: [ObjectID<ManagedObject>]
    }

    /// A Boolean value that indicates whether no rule prevents the deletion.
    public var isAllowed: Bool { issues.isEmpty }

    /// A line per entity, relationship and issue, with numbers of objects.
    public var description: String {
        let lines =
            deleted.sorted { $0.key < $1.key }.map { "delete \($0): \($1.count)" }
            + nullified.map { "nullify \($0.entityName).\($0.relationship): \($0.objectIDs.count)" }
            + unlinked.map { "unlink \($0.entityName).\($0.relationship): \($0.objectIDs.count)" }
            + issues.map { "refuse \($0)" }
        return lines.joined(separator: "\n")
    }
}

extension ManagedObjectContext {
    /// Returns the effects by delete rules if you deleted `objects` now and saved.
    ///
    /// Present deletions and all unsaved changes count. Nothing is deleted, written, locked or loaded, and no
    /// hook is called. Objects that a save has deleted are left out.
    ///
    /// The call sends one statement per relationship and level that rules reach, and one more to end the
    /// transaction. Links that would only be removed count, too. Changes of other sessions until the save are
    /// not known yet. The save checks again, and also checks minimum counts.
    ///
    /// - Throws: `FetchError` or `SaveError` if the query fails.
    public func previewDelete(_ objects: [ManagedObject]) throws -> DeletePreview {
        try previewDelete(objects, in: PreviewBounds())
    }

    /// Returns the effects of a deletion, as ``previewDelete(_:)-(ManagedObject)`` does, up to a number of rows.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of rows that are read.
    ///   - time: The time after which no more statements are sent.
    /// - Throws: `FetchError` or `SaveError` if the query fails.
    package func previewDelete(
        _ object: ManagedObject, upTo limit: Int, within time: Duration
    ) throws -> DeletePreview {
        try previewDelete([object], in: PreviewBounds(limit, time))
    }

    private func previewDelete(_ objects: [ManagedObject], in bounds: PreviewBounds) throws -> DeletePreview {
        try throwFailure()
        // Its rollback would end the transaction of the other call.
        try checkNoOpenWriting("previewDelete(_:)")
        let objects = objects.map(\.resolved).filter { !$0._flags.isSuperset(of: [.detached, .deleted]) }
        for object in objects {
            try checkOwnership(of: object, "deleted")
        }
        let asked = Set(objects.map(ObjectIdentifier.init))
        let stays = { (object: ManagedObject) in !asked.contains(ObjectIdentifier(object)) }
        let fresh = objects.filter { !$0._flags.contains(.deleted) }
        let changes = frozen(
            insertedObjects.filter(stays), updatedObjects.filter(stays),
            deletedObjects + fresh.filter { !$0._flags.contains(.inserted) },
            discarding: fresh.filter { $0._flags.contains(.inserted) })
        let preview: (Connection) throws -> DeletePreview = { [self] connection in
            let transaction = SaveTransaction(
                connection, isNested: unit?.isTransaction ?? false, in: store)
            defer { transaction.abandon() }
            var rules = DeleteRules(changes, self, transaction, isLocked: false, previewing: bounds)
            do {
                try rules.followAll()
            } catch let error as PostgresError {
                throw SaveFailure(store.layouts).error(error, changes)
            }
            return DeletePreview(rules, changes, self)
        }
        do { return try withConnection(preview) } catch { throw store.readError(error) }
    }

    /// Returns the effects by delete rules if you deleted `object` now and saved; as for several objects.
    ///
    /// - Throws: `FetchError` or `SaveError` if the query fails.
    public func previewDelete(_ object: ManagedObject) throws -> DeletePreview {
        try previewDelete([object])
    }
}
