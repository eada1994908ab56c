import Howdah
import HowdahMigration
import HowdahTesting
import PQClient
import StagedModels
import TestSupport
import Testing

/// A store that begins as a filled logbook of the first version.
struct LogbookStore {
    let url: String
    /// How it gets to the last version.
    var way = Logbook.Way.staged

    /// Runs `body` with a store of its own.
    static func with<T>(
        _ way: Logbook.Way = .staged, _ body: (LogbookStore) async throws -> T
    ) async throws -> T {
        let server = try EphemeralPostgres.shared()
        let database = try server.createDatabase(from: try await filled.value.name)
        defer { try? database.drop() }
        return try await body(LogbookStore(url: database.url, way: way))
    }

    /// What the stores begin as.
    private static let filled = Task {
        let database = try EphemeralPostgres.shared().createDatabase()
        try await fill(database.url)
        return database
    }

    /// Makes the store of the first version in a database, with what is in it.
    static func fill(_ url: String) async throws {
        let container = try await PersistentContainer.open(url, model: Logbook.V1.model)
        try await Logbook.fill(container)
        await container.close()
    }

    var sql: PlainSQL { PlainSQL(url: url) }

    /// Opens it with the last version, migrated.
    func open(options: StoreOptions = StoreOptions()) async throws -> PersistentContainer {
        try await PersistentContainer.open(
            url, model: Logbook.V4.model, migrating: way.plan, options: options)
    }

    /// How many stages were done; the record, the tables and the ledger must agree on it.
    func boundary() async throws -> Int {
        let checksum = try #require(try sql.value("SELECT checksum FROM _howdah_store"))
        let place = try #require(try way.versions.firstIndex { try $0.model.versionChecksum == checksum })
        let connection = try Connection(ConnectionConfiguration(url))
        defer { connection.close() }
        let fresh = try await #require(Self.freshCatalogues.value[checksum])
        #expect(try StoreCatalogue(named: "public", on: connection).differences(from: fresh) == [])
        #expect(try ledger() == Array(way.labels.prefix(place)))
        #expect(try sql.value("SELECT to_regnamespace('_howdah_old_public')::text") == nil)
        return place
    }

    /// The stages that were done, in order.
    func ledger() throws -> [String] {
        guard try sql.value("SELECT to_regclass('_howdah_migration')::text") != nil else { return [] }
        return try sql.rows("SELECT label FROM _howdah_migration ORDER BY number").map { $0[0] ?? "" }
    }

    /// The next run finishes, and everything is as after a run that nothing disturbed.
    func expectCompletion() async throws {
        let container = try await open()
        let contents = try await Logbook.contents(container)
        await container.close()
        // Each line begins with a key.
        #expect(
            contents.map { $0.drop { $0 != " " }.dropFirst() }.map(String.init).sorted() == Logbook.expected)
        #expect(try await boundary() == way.labels.count)
    }

    /// Of fresh stores of all versions.
    private static let freshCatalogues = Task {
        var catalogues: [String: StoreCatalogue] = [:]
        for version in Logbook.versions {
            try await withTestDatabase(for: version.model) { database in
                let connection = try Connection(ConnectionConfiguration(database.url))
                defer { connection.close() }
                catalogues[try version.model.versionChecksum] = try StoreCatalogue(
                    named: "public", on: connection)
            }
        }
        return catalogues
    }
}
