import Howdah
import HowdahMigration
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// A store that begins as a filled music library of the first version.
struct MusicStore {
    let url: String

    static func with<T>(
        tracks: Int = 9, _ body: (MusicStore) async throws -> T
    ) async throws -> T {
        let model = try Music.V1.model
        return try await withTestDatabase(for: model) { database in
            let container = try await PersistentContainer.open(database.url, model: model)
            try await Music.fill(container, tracks: tracks)
            await container.close()
            return try await body(MusicStore(url: database.url))
        }
    }

    var sql: PlainSQL { PlainSQL(url: url) }

    func open(
        _ mapping: MappingModel, _ policies: [String: EntityMigrationPolicy.Type] = [:]
    ) async throws -> PersistentContainer {
        var options = StoreOptions()
        options.stagedMigrationManager = StagedMigrationManager([
            MigrationStage.mapped(
                from: Music.V1.self, to: Music.V2.self, mapping: mapping, policies: policies)
        ])
        return try await PersistentContainer.open(url, model: Music.V2.model, options: options)
    }

    /// The error of a migration, after which the store must be as it was.
    func failure(
        _ mapping: MappingModel, _ policies: [String: EntityMigrationPolicy.Type] = [:]
    ) async throws -> StoreError {
        let (before, rows) = (try catalogue(), try contents())
        let error = await #expect(throws: StoreError.self) {
            try await open(mapping, policies).close()
        }
        #expect(try catalogue().differences(from: before) == [])
        #expect(try contents() == rows)
        #expect(try sql.value("SELECT to_regclass('_howdah_migration')::text") == nil)
        #expect(try sql.value("SELECT to_regnamespace('_howdah_old_public')::text") == nil)
        return try #require(error)
    }

    func catalogue() throws -> StoreCatalogue {
        let connection = try Connection(ConnectionConfiguration(url))
        defer { connection.close() }
        return try StoreCatalogue(named: "public", on: connection)
    }

    private func contents() throws -> [[String?]] {
        try sql.rows("SELECT t::text FROM track t UNION ALL SELECT a::text FROM album a ORDER BY 1")
    }
}
