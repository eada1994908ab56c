import Foundation
import Howdah
import HowdahRuntime
import HowdahSchema
import PQClient
import TestSupport

/// A company store with a history that tests write by SQL, as saves do.
struct HistoryStore: Sendable {
    let company: CompanyStore
    static let tables = HistoryTables(in: "public")

    var container: PersistentContainer { company.container }

    /// Runs `body` with a store whose history has begun.
    nonisolated(nonsending)
        static func with<T>(
            connections: Int = 4, isStarted: Bool = true, options: StoreOptions = StoreOptions(),
            _ body: (HistoryStore) async throws -> T
        ) async throws -> T
    {
        var options = options
        options.keepsHistory = false
        return try await CompanyStore.with(connections: connections, options: options) { company in
            let session = try company.session()
            try session.begin()
            for statement in tables.creation + tables.rows(isStarted: isStarted) {
                _ = try session.query(statement)
            }
            try session.commit()
            session.close()
            return try await body(HistoryStore(company: company))
        }
    }

    /// Opens a session that can write history.
    func writer() throws -> HistoryWriter { HistoryWriter(session: try company.session()) }

    /// The id of an object of an entity.
    func id(_ key: Int64, _ entity: String = "Employee") -> ObjectID<ManagedObject> {
        ObjectID(storeIdentifier: container.storeIdentifier, entityName: entity, key: key)
    }

    /// Returns the history after a token.
    nonisolated(nonsending)
        func history(
            after token: HistoryToken?, where filter: HistoryFilter? = nil, limit: Int? = nil
        ) async throws -> HistoryResult
    {
        try await container.perform {
            try $0.execute(HistoryRequest.fetch(after: token, where: filter, limit: limit))
        }
    }

    /// Returns the keys of the changes after a token, in their order.
    nonisolated(nonsending) func keys(after token: HistoryToken?) async throws -> [Int64] {
        try await history(after: token).transactions.flatMap { $0.changes.map(\.changedObjectID.key) }
    }

    /// Runs a statement on the tables of the history.
    func execute(_ sql: String) throws { try company.execute(sql) }
}

/// A session that writes rows of history.
final class HistoryWriter {
    let session: Connection
    private let isOwner: Bool

    /// - Parameter isOwner: Indicates whether the writer closes the session.
    init(session: Connection, isOwner: Bool = true) {
        self.session = session
        self.isOwner = isOwner
    }

    deinit { if isOwner { session.close() } }

    /// Writes one row, as the last statement of the open transaction or alone.
    func write(
        _ ids: [Int64], kind: Int = 1, entity: String = "Employee", properties: [String]? = ["salary"],
        origin: Int = 0, author: String? = nil, context: String? = nil, tombstones: String? = nil,
        number: Int64? = nil, part: Int = 0, slot: Int? = nil
    ) throws {
        func text(_ value: String?) -> String { value.map { "'\($0)'" } ?? "NULL" }
        let tables = HistoryStore.tables
        let names =
            properties.map { list in "ARRAY[\(list.map { "'\($0)'" }.joined(separator: ","))]::text[]" }
            ?? "NULL"
        let place = slot.map { String($0) } ?? tables.slotExpression
        let next = number.map { String($0) } ?? "nextval('\(tables.number)')"
        _ = try session.query(
            """
            INSERT INTO \(tables.history) (slot, number, part, origin, entity, kind, properties, ids, tombstones, author,
                context, process)
            SELECT \(place), \(next), \(part), \(origin), '\(entity)', \(kind), \(names),
                '{\(ids.map(String.init).joined(separator: ","))}', \(text(tombstones)), \(text(author)), \(text(context)),
                'tests 1 host'
            """, cached: false)
    }
}
