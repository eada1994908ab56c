import HowdahModel
import PQClient

/// Finds, in the store, the rows at the other end of a relationship; rows are locked as they are found, and no
/// object is loaded.
struct ReferringRows {
    private let context: ManagedObjectContext
    private let transaction: SaveTransaction

    struct Row {
        let entity: Int
        let key: Int64
    }

    init(_ context: ManagedObjectContext, _ transaction: SaveTransaction) {
        self.context = context
        self.transaction = transaction
    }

    /// The rows whose foreign key leads to one of `keys`.
    func rows(_ relationship: RelationshipLayout, of keys: [Int64], forDeletion: Bool) throws -> [Row] {
        guard case .inverse(let columns) = relationship.storage else { return [] }
        let destination = context.layouts[relationship.destination]
        // A row that goes is locked before its own children are looked for; one that stays only as an update locks it.
        let lock = forDeletion ? "FOR UPDATE" : "FOR NO KEY UPDATE"
        return try read(
            "SELECT \(list(destination, "t")) FROM \(destination.table) t WHERE t.\(columns.column) = ANY($1) "
                + "ORDER BY t.\"_id\" \(lock) OF t", keys, destination)
    }

    /// The rows that `keys` themselves refer to, through a foreign key or a join table.
    func destinations(
        _ relationship: RelationshipLayout, of keys: [Int64], _ layout: EntityLayout
    ) throws -> [Row] {
        let destination = context.layouts[relationship.destination]
        let condition: String
        switch relationship.storage {
        case .foreignKey(let columns):
            condition = "SELECT o.\(columns.column) FROM \(layout.table) o WHERE o.\"_id\" = ANY($1)"
        case .join(let columns):
            condition = "SELECT j.\(columns.otherColumn) FROM \(columns.table) j WHERE j.\(columns.ownColumn) = ANY($1)"
        case .inverse: return []
        }
        return try read(
            "SELECT \(list(destination, "t")) FROM \(destination.table) t WHERE t.\"_id\" IN (\(condition)) "
                + "ORDER BY t.\"_id\" FOR UPDATE OF t", keys, destination)
    }

    private func list(_ layout: EntityLayout, _ alias: String) -> String {
        ["\"_id\""].appending(layout.discriminator).map { "\(alias).\($0)" }.joined(separator: ", ")
    }

    private func read(_ sql: String, _ keys: [Int64], _ destination: EntityLayout) throws -> [Row] {
        var parameters = Parameters()
        parameters.append(keys)
        let result = try transaction.query(sql, parameters)
        return try (0..<result.rowCount).map { index in
            let row = result.row(index)
            guard destination.discriminator != nil else { return Row(entity: destination.index, key: row[0].int64) }
            let name = row[1].string()
            guard let entity = destination.directory.index(ofStoredName: name) else {
                throw FetchError.unknownStoredEntity(name, in: destination.name)
            }
            return Row(entity: entity, key: row[0].int64)
        }
    }
}

extension [String] {
    fileprivate func appending(_ element: String?) -> [String] { element.map { self + [$0] } ?? self }
}
