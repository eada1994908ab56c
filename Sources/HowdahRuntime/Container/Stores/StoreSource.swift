import HowdahModel
import HowdahSchema
import PQClient

/// The source of a store's copy, read in one snapshot.
struct StoreSource {
    let connection: Connection
    let schemaName: String
    let record: StoreRecord
    let schema: StoreSchema

    private static let lockTimeoutInMilliseconds = 2_000

    /// Begins a read-only transaction, and prevents changes of the store's tables.
    ///
    /// - Throws: `StoreError` with `notAStore`, `missingGrant`, `inUse` or `migrationFailed`;
    ///   `PostgresError`.
    init(_ connection: Connection, in schemaName: String) throws {
        self.connection = connection
        self.schemaName = schemaName
        guard let record = try StoreRecord(in: schemaName, on: connection, for: .reading) else {
            throw StoreSession.noStore(in: schemaName)
        }
        guard let schema = try StoreBelongings.schema(of: record, in: schemaName) else {
            throw StoreError(
                .notAStore,
                "The tables in schema '\(schemaName)' belong to another program, and only tables that Howdah "
                    + "created can be copied. Copy the tables with pg_dump.")
        }
        self.record = record
        self.schema = schema
        try connection.begin(isolation: .repeatableRead, readOnly: true)
        do {
            try lock()
        } catch let error as PostgresError {
            throw Self.explained(error, in: schemaName)
        }
    }

    /// Locks the tables before the snapshot is taken: a table that is altered after it would be read as
    /// empty.
    private func lock() throws {
        try connection.executeScript(
            "SET LOCAL lock_timeout = \(SQLLiteral.integer(Self.lockTimeoutInMilliseconds)); SET LOCAL row_security = off"
        )
        let names = [StoreSchema.metadataTable] + schema.tables.map(\.name)
        let tables = names.map { SQLIdentifier.quoted(schemaName, $0) }.joined(separator: ", ")
        _ = try connection.query("LOCK TABLE \(tables) IN ACCESS SHARE MODE", cached: false)
        let now = try StoreRecord(in: schemaName, on: connection, for: .reading)
        guard now?.identifier == record.identifier, now?.checksum == record.checksum else {
            throw StoreError(
                .inUse,
                "The store in schema '\(schemaName)' was migrated or replaced before it could be copied. "
                    + "Nothing was copied. Copy the store again."
            )
        }
        guard try PendingWork(connection, in: schemaName).steps().isEmpty else {
            throw StoreError(
                .migrationFailed,
                "A migration of the store in schema '\(schemaName)' has steps left, so the store was not "
                    + "copied. Run howdah migrate finish, and copy the store again."
            )
        }
    }

    /// Returns the error of a statement that reads the store.
    static func explained(_ error: PostgresError, in schemaName: String) -> StoreError {
        switch error.sqlState {
        case SQLState.insufficientPrivilege:
            StoreError(
                .missingGrant,
                "The role may not read all rows of the store in schema '\(schemaName)'. Nothing was changed. Grant "
                    + "the role SELECT on the store's tables and sequence. If row security hides rows, use a role "
                    + "with BYPASSRLS.",
                databaseError: error)
        case SQLState.lockNotAvailable:
            StoreError(
                .inUse,
                "Another program alters tables of the store in schema '\(schemaName)'. Nothing was changed. Retry when "
                    + "it has finished.", databaseError: error)
        default:
            StoreError(
                .database,
                "The store to copy could not be read. Nothing was changed. Correct the cause that it names, and copy the "
                    + "store again.", databaseError: error)
        }
    }

    /// Runs `body`, which reads the store.
    ///
    /// - Throws: `StoreError`; the error of the body.
    func reading<T>(_ body: (Connection) throws -> T) throws -> T {
        do {
            return try body(connection)
        } catch let error as PostgresError {
            throw Self.explained(error, in: schemaName)
        }
    }

    /// Returns the last number of the store's sequence; nil if none was drawn.
    ///
    /// - Throws: `PostgresError`.
    func lastNumber(on connection: Connection) throws -> Int64? {
        let name = SQLLiteral.string(SQLIdentifier.quoted(schemaName, schema.idSequence))
        return try connection.query(
            "SELECT pg_catalog.pg_sequence_last_value(\(name)::pg_catalog.regclass)", cached: false
        ).map { $0[0].isNull ? nil : $0[0].int64 }.first ?? nil
    }

    /// Copies the rows of a table into one with the same columns, and returns their number.
    ///
    /// - Throws: `StoreError`; `PostgresError`.
    func copy(
        _ table: String, _ columns: [String], to destination: Connection, in schemaName: String
    ) throws -> Int {
        let list = columns.map(SQLIdentifier.quoted).joined(separator: ", ")
        var read = 0
        let stored = try destination.copyIn(
            "COPY \(SQLIdentifier.quoted(schemaName, table)) (\(list)) FROM STDIN (FORMAT binary)"
        ) { writer in
            do {
                read = try connection.copyOut(
                    "SELECT \(list) FROM \(SQLIdentifier.quoted(self.schemaName, table))", begin: { _ in }
                ) { row in
                    try writer.row(columns: columns.count) { cells in
                        for index in columns.indices { cells.copy(row[index]) }
                    }
                }
            } catch let error as PostgresError where !Self.isOf(destination, error) {
                throw Self.explained(error, in: self.schemaName)
            }
        }
        guard read == stored else {
            throw StoreError(
                .database,
                "The table '\(table)' has \(read) rows in the source, and \(stored) were copied. Nothing was changed. "
                    + "Look for triggers and rules that change inserted rows.")
        }
        return read
    }

    /// Returns a Boolean value that indicates whether an error occurred while rows were sent, not while they
    /// were read.
    private static func isOf(_ destination: Connection, _ error: PostgresError) -> Bool {
        !destination.isUsable || error.statement?.hasSuffix("FROM STDIN (FORMAT binary)") == true
    }
}
