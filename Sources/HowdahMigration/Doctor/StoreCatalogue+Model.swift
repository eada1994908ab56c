package import HowdahModel
internal import HowdahSchema
package import PQClient

extension StoreCatalogue {
    /// What the catalogue of a fresh store of `model` in a schema of that name says.
    ///
    /// Makes its tables in a schema of their own, reads, and rolls back: nobody else sees anything of it. The role needs
    /// the right to create schemas.
    /// - Throws: `MigrationError` with `database` where the role may not; `PostgresError`; `ModelError`.
    package static func expected(
        of model: ManagedObjectModel, schemaName: String, on connection: Connection
    ) throws -> StoreCatalogue {
        let place = "howdah_scratch_" + String(UInt64.random(in: .min ... .max), radix: 36)
        let schema = try StoreSchema(model, schemaName: place)
        do {
            return try inPassing(connection) {
                try connection.executeScript(SchemaCreation(schema).statements.joined(separator: ";\n"))
                let made = try StoreCatalogue(named: place, on: connection)
                return made.renamed(from: place, to: schemaName)
            }
        } catch let error as PostgresError where refusals.contains(error.sqlState ?? "") {
            throw MigrationError(
                .database,
                "The model's tables cannot be created here for comparison, because "
                    + (error.sqlState == SQLState.readOnlyTransaction
                        ? "the session is read-only. Connect to the primary, or give"
                        : "the role may not create schemas. Use a role with CREATE on this database, or give")
                    + " --scratch the URL of a database that allows new schemas.",
                underlying: error)
        }
    }

    /// A role without the right, a transaction or a standby that only reads.
    private static let refusals = [SQLState.insufficientPrivilege, SQLState.readOnlyTransaction]

    /// What the catalogue of the schema says, with the same spelling of names as ``expected(of:schemaName:on:)``.
    ///
    /// - Throws: `PostgresError`.
    package static func actual(_ schemaName: String, on connection: Connection) throws -> StoreCatalogue {
        try inPassing(connection, readOnly: true) { try StoreCatalogue(named: schemaName, on: connection) }
    }

    /// Names in definitions are spelled with their schema, unless it is in the path.
    private static func inPassing<T>(
        _ connection: Connection, readOnly: Bool = false, _ body: () throws -> T
    ) throws -> T {
        // A standby begins no other.
        try connection.begin(readOnly: readOnly)
        do {
            try connection.executeScript("SET LOCAL search_path = pg_catalog")
            let result = try body()
            try connection.rollback()
            return result
        } catch {
            // The error that led here is the one to report.
            try? connection.rollback()
            throw error
        }
    }

    /// The same with another name of the schema; the present one occurs nowhere else, and needs no quotes.
    package func renamed(from place: String, to schemaName: String) -> StoreCatalogue {
        let quoted = SQLIdentifier.quoted(schemaName)
        let plain = schemaName.isPlainIdentifier ? schemaName : quoted
        return StoreCatalogue(
            entries: entries.mapValues {
                $0.replacing(SQLIdentifier.quoted(place), with: quoted).replacing(place, with: plain)
            })
    }
}

extension String {
    /// Whether the server spells the name without quotes; words that SQL reserves are no names of stores' schemas.
    fileprivate var isPlainIdentifier: Bool {
        guard let first = utf8.first, first == UInt8(ascii: "_") || (97...122).contains(first) else {
            return false
        }
        return utf8.allSatisfy {
            (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "_")
        }
    }
}
