public import HowdahModel
import PQClient

/// What a deletion would do, by the delete rules and what is stored: a value that can be printed.
public struct DeletePreview: Sendable, CustomStringConvertible {
    /// The ids of the objects that would go, by entity, ascending; those asked for among them.
    public let deleted: [String: [ObjectID<ManagedObject>]]
    /// The to-one relationships that would lose their destination.
    public let nullified: [Loss]
    /// The relationships through a table of links whose destinations would stay, and lose the link.
    public let unlinked: [Loss]
    /// What a save would refuse, by object or entity and relationship: rules that deny, and required relationships that
    /// would lose their destination.
    public let issues: [ValidationIssue]

    /// One relationship and the objects concerned.
    public struct Loss: Sendable {
        /// The entity that has the relationship.
        public let entityName: String
        /// The relationship.
        public let relationship: String
        /// The objects that stay and lose something: for links, those at the other end.
        public let objectIDs: [ObjectID<ManagedObject>]
    }

    /// Whether no rule stands against the deletion.
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
    /// What the next save would do by delete rules if `objects` were deleted now, together with what is deleted here
    /// already and with all unsaved changes; nothing is deleted, written, locked or loaded, and no hook is called. Objects
    /// that a save has deleted are left out.
    ///
    /// One statement per relationship and level that rules lead along, of links also those that would only be cut, and
    /// one more to end the transaction. What others store until the save is not known yet; the save looks again, and
    /// also at minimum counts.
    ///
    /// - Throws: `FetchError` or `SaveError` where the store cannot be asked.
    public func previewDelete(_ objects: [ManagedObject]) throws -> DeletePreview {
        try throwFailure()
        let objects = objects.map(\.resolved).filter { !$0._flags.isSuperset(of: [.detached, .deleted]) }
        for object in objects {
            try checkOwnership(of: object, "deleted")
        }
        let asked = Set(objects.map(ObjectIdentifier.init))
        let stays = { (object: ManagedObject) in !asked.contains(ObjectIdentifier(object)) }
        let fresh = objects.filter { !$0._flags.contains(.deleted) }
        var changes = frozen(
            insertedObjects.filter(stays), updatedObjects.filter(stays),
            deletedObjects + fresh.filter { !$0._flags.contains(.inserted) })
        changes.discarded += fresh.filter { $0._flags.contains(.inserted) }
        let preview: (Connection) throws -> DeletePreview = { [self] connection in
            let transaction = SaveTransaction(
                connection, isNested: unit?.isTransaction ?? false, in: store.mark)
            defer { transaction.abandon() }
            var rules = DeleteRules(changes, self, transaction, isLocked: false, isPreview: true)
            do {
                try rules.followAll()
            } catch let error as PostgresError {
                throw SaveFailure(store.layouts).error(error, changes)
            }
            return DeletePreview(rules, changes, self)
        }
        do { return try withConnection(preview) } catch { throw store.readError(error) }
    }

    /// What the next save would do by delete rules if `object` were deleted now; as for several objects.
    ///
    /// - Throws: `FetchError` or `SaveError` where the store cannot be asked.
    public func previewDelete(_ object: ManagedObject) throws -> DeletePreview {
        try previewDelete([object])
    }
}
