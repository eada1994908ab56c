import HowdahMigration
import HowdahRuntime
import HowdahSchema
import PQClient

/// A statement of a mapping's pass.
struct MappedStatement: Sendable {
    let sql: String
    var parameters = Parameters()
    /// The check of the answer, if the statement finds values that do not fit.
    var look: ValueLook?
    /// The check of the answer, if the statement finds forbidden objects: rows with their keys and their
    /// total number.
    var check: MigrationStep.Check?

    init(
        _ sql: String, _ parameters: Parameters = Parameters(), look: ValueLook? = nil,
        check: MigrationStep.Check? = nil
    ) {
        self.sql = sql
        self.parameters = parameters
        self.look = look
        self.check = check
    }

    /// Runs the statement, and returns the number of rows that it writes.
    ///
    /// - Throws: `MigrationError` with `mappingFailed` or `unfitData` if it finds a fault; `PostgresError`.
    func run(on connection: Connection) throws -> Int {
        let answer = try connection.query(sql, parameters, cached: false)
        try look?.check(answer)
        guard let check else { return look == nil ? answer.affectedRows : 0 }
        let found = answer.map { row in (row[0].int64, row[1].int64) }
        guard let count = found.first?.1 else { return 0 }
        throw MigrationError(.unfitData, check.message(found.map(\.0), of: count))
    }
}

extension MigrationStep.Check {
    /// The check that a to-one relationship refers to one object.
    init(severalAt place: String, of entity: String, remedy: String) {
        self.init(
            entityName: entity, fault: "\(place) refers to at most one object, but there are several",
            remedy: remedy)
    }
}
