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
                return made.renamed(from: place, to: schemaName, plain: try plain(schemaName, on: connection))
            }
        } catch let error as PostgresError where refusals.contains(error.sqlState ?? "") {
            throw MigrationError(
                .database,
                "The model's tables cannot be created here for comparison, because "
                    + (error.sqlState == SQLState.readOnlyTransaction
                        ? "the session is read-only. Connect to the primary, or give"
                        : "the role may not create schemas. Use a role with CREATE on this database, or give")
                    + " --scratch the URL of a database that allows new schemas.",
                databaseError: error)
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

    /// The settings on which the text of a definition depends. Names have their schema, unless it is in the path. The two
    /// sessions of a comparison may be those of roles with other settings.
    private static let settings = """
        SET LOCAL search_path = pg_catalog; SET LOCAL quote_all_identifiers = off; SET LOCAL TimeZone = 'UTC';
        SET LOCAL DateStyle = 'ISO'; SET LOCAL IntervalStyle = 'postgres'; SET LOCAL bytea_output = 'hex';
        SET LOCAL extra_float_digits = 1; SET LOCAL standard_conforming_strings = on
        """

    private static func inPassing<T>(
        _ connection: Connection, readOnly: Bool = false, _ body: () throws -> T
    ) throws -> T {
        // A standby begins no other.
        try connection.begin(readOnly: readOnly)
        do {
            try connection.executeScript(settings)
            let result = try body()
            try connection.rollback()
            return result
        } catch {
            // The error that led here is the one to report.
            try? connection.rollback()
            throw error
        }
    }

    /// Returns the name as definitions have it.
    private static func plain(_ schemaName: String, on connection: Connection) throws -> String {
        var parameters = Parameters()
        try parameters.append(schemaName)
        return try connection.query("SELECT pg_catalog.quote_ident($1)", parameters, cached: false)
            .map { $0[0].string() }.first ?? SQLIdentifier.quoted(schemaName)
    }

    /// Returns the catalogue with another name of the schema.
    ///
    /// - Parameters:
    ///   - place: The present name, which occurs nowhere else and needs no quotes.
    ///   - plain: The other name as the server spells it, with quotes if it needs them.
    package func renamed(from place: String, to schemaName: String, plain: String) -> StoreCatalogue {
        let quoted = SQLIdentifier.quoted(schemaName)
        func inText(_ name: String) -> String { name.replacing("'", with: "''") }
        let spellings = [
            // In the text of a default, such as that of a sequence, quotes are doubled.
            ("'\(SQLIdentifier.quoted(place))", "'" + inText(quoted)),
            ("'\(place)'", SQLLiteral.string(schemaName)), ("'\(place)", "'" + inText(plain)),
            (SQLIdentifier.quoted(place), quoted), (place, plain),
        ]
        return StoreCatalogue(
            entries: entries.mapValues { text in
                spellings.reduce(text) { $0.replacing($1.0, with: $1.1) }
            })
    }
}
