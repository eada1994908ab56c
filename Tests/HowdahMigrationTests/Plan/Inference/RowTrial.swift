import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahStages
import HowdahTesting
import PQClient

/// A migration of a store that rows were written to with SQL: rehearsed, done, and finished if it was deferred.
struct RowTrial {
    let old: [EntityDescription]
    let new: [EntityDescription]
    /// Statements that fill the store.
    var rows: [String] = []
    var words: Set<String> = []
    var defers = false

    struct Outcome: Sendable {
        /// Why the rows were refused; the store is as it was.
        var refusal: MigrationError?
        /// What the rehearsal found in the rows.
        var violations: [String] = []
        /// Each row of the answer, its values with a bar between.
        var answer: [String] = []
    }

    /// - Parameter query: what is asked of the store in the end.
    func run(_ query: String) async throws -> Outcome {
        let models = try [old, new].map { try ManagedObjectModel(entities: $0) }
        var options = MigrationOptions()
        options.shouldDeferLightweightMigration = defers
        options.confirmedDrops = words
        return try await withTemporaryDatabase(for: models[0]) { [options] database in
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            for row in rows { _ = try connection.query(row, cached: false) }
            var outcome = Outcome()
            do {
                outcome.violations = try rehearse(models, options, connection)
                _ = try StoreMigration(connection, to: models[1], options: options).apply()
                if defers { try DeferredWork(connection).finish() }
                let fresh = try await MigrationTrial.freshCatalogue(of: models[1])
                outcome.violations += try MigrationTrial.catalogue(database).differences(from: fresh)
            } catch let error as MigrationError {
                outcome.refusal = error
            }
            outcome.answer = try connection.query(query, cached: false).map { row in
                (0..<row.count).map { row[$0].isNull ? "" : row[$0].string() }.joined(separator: "|")
            }
            return outcome
        }
    }

    private func rehearse(
        _ models: [ManagedObjectModel], _ options: MigrationOptions, _ connection: Connection
    ) throws -> [String] {
        let versions = zip(["old", "new"], models).map {
            MigrationPath.Version(name: $0, checksum: $1.versionChecksum, model: $1)
        }
        let path = try MigrationPath([
            .init(
                .lightweight, versions, label: nil, handlers: StageHandlers(),
                confirmedDrops: options.confirmedDrops)
        ])
        return try StoreMigration(connection, path, to: models[1], options: options).rehearse()
            .stages.flatMap(\.violations)
    }
}
