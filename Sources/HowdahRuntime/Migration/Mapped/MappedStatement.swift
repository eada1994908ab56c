import HowdahMigration
import PQClient

/// A statement of a mapping's pass.
struct MappedStatement: Sendable {
    let sql: String
    var parameters = Parameters()
    /// Set where the statement finds objects that must not be: rows of their keys, and how many there are in all.
    var check: MigrationStep.Check?

    init(_ sql: String, _ parameters: Parameters = Parameters(), check: MigrationStep.Check? = nil) {
        self.sql = sql
        self.parameters = parameters
        self.check = check
    }

    /// - Throws: `MigrationError` with `unfitData` where it finds what it looks for; `PostgresError`.
    func run(on connection: Connection) throws {
        let found = try connection.query(sql, parameters, cached: false).map { row in
            check == nil ? (0, 0) : (row[0].int64, row[1].int64)
        }
        guard let check, let count = found.first?.1 else { return }
        throw MigrationError(.unfitData, check.message(found.map(\.0), of: count))
    }
}
