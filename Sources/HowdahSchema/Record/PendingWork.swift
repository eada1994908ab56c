internal import Foundation
internal import HowdahModel
package import PQClient

/// The table in which a store keeps what a deferred migration has left, a row for each step; it goes with the last.
package struct PendingWork {
    /// The table's name.
    package static let name = "_howdah_pending"

    package let connection: Connection
    package let schemaName: String

    /// The work pending in the store of a schema.
    package init(_ connection: Connection, in schemaName: String) {
        self.connection = connection
        self.schemaName = schemaName
    }

    private var table: String { SQLIdentifier.quoted(schemaName, Self.name) }

    /// Adds steps, in the transaction that makes them necessary.
    package func record(_ steps: [MigrationStep]) throws {
        guard !steps.isEmpty else { return }
        try execute(
            """
            CREATE TABLE IF NOT EXISTS \(table) (
                "number" bigint GENERATED ALWAYS AS IDENTITY,
                "execution" pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
                "reason" pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
                "step" pg_catalog.jsonb NOT NULL,
                "last_key" bigint,
                "failure" pg_catalog.text COLLATE pg_catalog."C",
                "failed_at" timestamp with time zone,
                CONSTRAINT "_howdah_pending_pkey" PRIMARY KEY ("number")
            )
            """)
        // Programs look here as they open the store.
        try StoreReaders(connection: connection, schemaName: schemaName).grant(table)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for step in steps {
            var row = Parameters()
            try row.append(step.execution.rawValue)
            try row.append(step.reason)
            try row.append(String(decoding: encoder.encode(step), as: UTF8.self))
            _ = try connection.query(
                "INSERT INTO \(table) (\"execution\", \"reason\", \"step\") "
                    + "VALUES ($1, $2, CAST(CAST($3 AS pg_catalog.text) AS pg_catalog.jsonb))", row,
                cached: false)
        }
    }

    /// What is pending, in the order in which it is to be done; empty where nothing is.
    ///
    /// - Throws: `PostgresError`; `DecodingError` where another version of the library left it.
    package func steps() throws -> [PendingMigrationStep] {
        guard try isThere() else { return [] }
        do {
            let rows = try connection.query(
                "SELECT \"number\", \"step\"::pg_catalog.text, \"last_key\", \"failure\" FROM \(table) "
                    + "ORDER BY \"failed_at\" NULLS FIRST, \"number\"", cached: false
            ).map {
                (
                    $0[0].int64, $0[1].string(), $0[2].isNull ? nil : $0[2].int64,
                    $0[3].isNull ? nil : $0[3].string()
                )
            }
            return try rows.map { number, step, lastKey, failure in
                PendingMigrationStep(
                    number: number,
                    step: try JSONDecoder().decode(MigrationStep.self, from: Data(step.utf8)),
                    lastKey: lastKey, failure: failure)
            }
        } catch let error as PostgresError where error.sqlState == SQLState.undefinedTable {
            // The last step was done meanwhile.
            return []
        }
    }

    private func isThere() throws -> Bool {
        var parameters = Parameters()
        try parameters.append(schemaName)
        try parameters.append(Self.name)
        return try connection.query(
            "SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
                + "WHERE n.nspname = $1 AND c.relname = $2", parameters, cached: false
        ).rowCount > 0
    }

    /// Takes a step off the list, in the transaction that ends it; the list goes with its last.
    package func complete(_ step: PendingMigrationStep) throws {
        var number = Parameters()
        number.append(step.number)
        _ = try connection.query("DELETE FROM \(table) WHERE \"number\" = $1", number, cached: false)
        if try connection.query("SELECT 1 FROM \(table) LIMIT 1", cached: false).rowCount == 0 {
            try execute("DROP TABLE \(table)")
        }
    }

    /// Notes that rows up to a key are done, in the transaction that did them.
    package func advance(_ step: PendingMigrationStep, to key: Int64) throws {
        var row = Parameters()
        row.append(step.number)
        row.append(key)
        _ = try connection.query(
            "UPDATE \(table) SET \"last_key\" = $2 WHERE \"number\" = $1", row, cached: false)
    }

    /// Notes why a step could not be done; the others come first from then on.
    package func fail(_ step: PendingMigrationStep, _ message: String) throws {
        var row = Parameters()
        row.append(step.number)
        try row.append(message)
        _ = try connection.query(
            "UPDATE \(table) SET \"failure\" = $2, \"failed_at\" = pg_catalog.clock_timestamp() "
                + "WHERE \"number\" = $1", row, cached: false)
    }

    private func execute(_ sql: String) throws { _ = try connection.query(sql, cached: false) }
}
