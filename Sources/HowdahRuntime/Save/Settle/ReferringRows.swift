import HowdahModel
import PQClient

/// Finds, in the store, the rows at the other end of a relationship, without loading objects.
///
/// Rows are locked as they are found, except for a preview.
struct ReferringRows {
    private let context: ManagedObjectContext
    private let transaction: SaveTransaction
    private let locks: Bool
    /// The maximum number of rows of a preview; nil for all.
    private let limit: Int?

    struct Row {
        /// The row at this end.
        let owner: Int64
        let entity: Int
        let key: Int64
        /// The preserved values of the row, if it is to be deleted and the store has a history.
        var tombstone: String?
    }

    init(
        _ context: ManagedObjectContext, _ transaction: SaveTransaction, locks: Bool = true,
        limit: Int? = nil
    ) {
        self.context = context
        self.transaction = transaction
        self.locks = locks
        self.limit = limit
    }

    /// Returns the rows of `layout` whose foreign key refers to one of `keys`.
    func rows(
        _ columns: ForeignKeyColumns, in layout: EntityLayout, of keys: [Int64], forDeletion: Bool
    ) throws -> [Row] {
        // A row that goes is locked before its own children are looked for; one that stays only as an update locks it.
        let lock = locks ? forDeletion ? " FOR UPDATE OF t" : " FOR NO KEY UPDATE OF t" : ""
        let kept = forDeletion ? tombstone(layout) : nil
        return try read(
            "SELECT t.\(columns.column), \(list(layout, "t", kept)) FROM \(columns.table) t "
                + "WHERE t.\(columns.column) = ANY($1) ORDER BY \(layout.table.key("t"))\(lock)", keys,
            layout, hasTombstones: kept != nil)
    }

    /// Returns the rows that `keys` themselves refer to, through a foreign key or a join table.
    func destinations(
        _ relationship: RelationshipLayout, of keys: [Int64], _ layout: EntityLayout
    ) throws -> [Row] {
        let destination = context.layouts[relationship.destination]
        let (source, owner, reference): (String, String, String)
        switch relationship.storage {
        case .foreignKey(let columns):
            (source, owner, reference) = (
                layout.table.name, layout.table.key.name, columns.column
            )
        case .join(let columns):
            (source, owner, reference) = (columns.table, columns.ownColumn, columns.otherColumn)
        case .inverse, .memory: return []
        }
        let key = destination.table.key("t")
        let kept = relationship.deleteRule == .cascade ? tombstone(destination) : nil
        return try read(
            "SELECT o.\(owner), \(list(destination, "t", kept)) FROM \(source) o JOIN \(destination.table) t "
                + "ON \(key) = o.\(reference) WHERE o.\(owner) = ANY($1) ORDER BY \(key)"
                + (locks ? " FOR UPDATE OF t" : ""),
            keys, destination, hasTombstones: kept != nil)
    }

    /// Returns the rows of `layout` that links of a relationship without an inverse connect with `keys`.
    func owners(_ columns: JoinColumns, in layout: EntityLayout, of keys: [Int64]) throws -> [Row] {
        let key = layout.table.key("t")
        return try read(
            "SELECT o.\(columns.otherColumn), \(list(layout, "t", nil)) FROM \(columns.table) o "
                + "JOIN \(layout.table) t ON \(key) = o.\(columns.ownColumn) "
                + "WHERE o.\(columns.otherColumn) = ANY($1) ORDER BY \(key)"
                + (locks ? " FOR UPDATE OF t" : ""), keys, layout, hasTombstones: false)
    }

    /// Returns the preserved values of rows to delete, by key.
    func tombstones(of keys: [Int64], _ layout: EntityLayout) throws -> [Int64: String] {
        guard let kept = tombstone(layout) else { return [:] }
        let key = layout.table.key("t")
        let rows = try read(
            "SELECT \(key), \(list(layout, "t", kept)) FROM \(layout.table) t WHERE \(key) = ANY($1)", keys,
            layout,
            hasTombstones: true)
        return Dictionary(
            rows.compactMap { row in row.tombstone.map { (row.key, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    private func tombstone(_ layout: EntityLayout) -> String? {
        context.store.history == nil ? nil : Tombstone.selection(of: layout, context.layouts, "t")
    }

    /// Locks rows to delete, before their own children are searched.
    func lock(_ keys: [Int64], of layout: EntityLayout) throws {
        if !locks || keys.isEmpty { return }
        var parameters = Parameters()
        parameters.append(keys)
        let key = layout.table.key.name
        _ = try transaction.query(
            "SELECT 1 FROM \(layout.table) WHERE \(key) = ANY($1) ORDER BY \(key) FOR UPDATE", parameters)
    }

    private func list(_ layout: EntityLayout, _ alias: String, _ tombstone: String?) -> String {
        [layout.table.key.name].appending(layout.discriminator).map { "\(alias).\($0)" }.appending(tombstone)
            .joined(separator: ", ")
    }

    private func read(
        _ sql: String, _ keys: [Int64], _ destination: EntityLayout, hasTombstones: Bool
    ) throws -> [Row] {
        var parameters = Parameters()
        parameters.append(keys)
        var sql = sql
        if let limit {
            parameters.append(Int64(limit))
            sql += " LIMIT $2"
        }
        let need =
            locks ? NeededRight(destination.table, .update, "locks or changes its rows") : nil
        let result = try transaction.run([
            SaveStatement(
                sql, parameters, need: need, about: StatementSubject(.select, destination.table.subject))
        ])[0]
        let place = destination.discriminator == nil ? 2 : 3
        return try result.map { row in
            let tombstone = hasTombstones && !row[place].isNull ? row[place].string() : nil
            guard destination.discriminator != nil else {
                return Row(
                    owner: row[0].int64, entity: destination.index, key: row[1].int64, tombstone: tombstone)
            }
            let name = row[2].string()
            guard let entity = destination.directory.index(ofStoredName: name) else {
                throw FetchError.unknownStoredEntity(name, in: destination.name)
            }
            return Row(owner: row[0].int64, entity: entity, key: row[1].int64, tombstone: tombstone)
        }
    }
}

extension [String] {
    fileprivate func appending(_ element: String?) -> [String] { element.map { self + [$0] } ?? self }
}
