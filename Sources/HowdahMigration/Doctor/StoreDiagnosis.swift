package import HowdahModel
internal import HowdahSchema
package import PQClient

/// Looks at a store and its server for what hinders programs or migrations. Reads only, the catalogue and one row.
package struct StoreDiagnosis {
    let connection: Connection
    let schemaName: String
    /// Versions that the store may have, by name.
    private let versions: [(name: String, model: ManagedObjectModel)]
    /// A role that is to read and write objects and nothing else; nil where none is asked about.
    private let role: String?
    /// Indicates whether the role only reads.
    private let onlyReads: Bool

    package init(
        _ connection: Connection, schemaName: String = "public",
        versions: [(name: String, model: ManagedObjectModel)] = [], role: String? = nil,
        onlyReads: Bool = false
    ) {
        self.connection = connection
        self.schemaName = schemaName
        self.versions = versions
        self.role = role
        self.onlyReads = onlyReads
    }

    /// Everything that was looked at, in a fixed order.
    ///
    /// - Throws: `PostgresError`.
    package func findings() throws -> [StoreFinding] {
        // A table that somebody has locked is not waited for. A transaction pooler would give the session, with the limit,
        // to other programs.
        if !connection.isPooled { try connection.executeScript("SET lock_timeout = '1s'") }
        var findings = [server, encoding]
        let record: StoreRecord?
        do {
            record = try StoreRecord(in: schemaName, on: connection, for: .none)
        } catch let error as StoreRecordError {
            findings.append(StoreFinding("store", .problem, error.message))
            return try findings + settings() + sessions()
        } catch let error as PostgresError where error.sqlState == SQLState.insufficientPrivilege {
            findings.append(
                StoreFinding(
                    "store", .problem, "this role cannot read the store: \(error.message)",
                    remedy:
                        "Connect as the store's owner. With --role, the owner can see which grants another role lacks."
                ))
            return try findings + allowed("settings", settings) + allowed("sessions", sessions)
        }
        guard let record else {
            findings.append(
                StoreFinding(
                    "store", .problem, "the schema '\(schemaName)' has no store",
                    remedy:
                        "Create a store with howdah migrate apply, or make a store of existing tables with howdah migrate baseline."
                )
            )
            return try findings + settings() + sessions()
        }
        let stored = try? ManagedObjectModel(canonicalJSON: record.model)
        findings.append(store(record, stored))
        if !record.format.isOverExistingTables, let stored,
            let schema = try? StoreSchema(stored, schemaName: schemaName)
        {
            findings += try allowed("tables") { try tables(schema) }
            findings += try allowed("grants") { try grants(schema) }
            findings += try allowed("migrating", migrating)
            if let warning = LockDemand(schema).warning {
                findings.append(
                    StoreFinding("locks", .note, "the store has many tables", remedy: warning))
            }
        }
        var steps: [PendingMigrationStep] = []
        findings += try allowed("pending") {
            steps = try PendingWork(connection, in: schemaName).steps()
            return try pendingWork(steps)
        }
        return try findings + allowed("history") { try history(record) }
            + allowed("remains") { try remains(steps) }
            + allowed("collations", collations) + allowed("settings", settings)
            + allowed("sessions", sessions)
    }

    /// What a look found; that it could not be done where this role has no right to it.
    private func allowed(_ check: String, _ look: () throws -> [StoreFinding]) throws -> [StoreFinding] {
        do {
            return try connection.undoingFailure(look)
        } catch let error as PostgresError where error.isOfLocks {
            return [
                StoreFinding(
                    check, .note, "not checked: a table is locked, for example by a migration",
                    remedy: "Run howdah migrate doctor again when the lock is released.")
            ]
        } catch let error as PostgresError where error.sqlState == SQLState.insufficientPrivilege {
            return [
                StoreFinding(
                    check, .warning, "not checked, because this role has no permission: \(error.message)",
                    remedy: "Connect as the store's owner.")
            ]
        }
    }

    private var server: StoreFinding {
        let version = connection.parameterStatus("server_version") ?? "\(connection.serverVersion)"
        return connection.serverVersion >= 130_000
            ? StoreFinding("server", .ok, "PostgreSQL \(version)")
            : StoreFinding(
                "server", .problem, "PostgreSQL \(version) is too old", remedy: "Use PostgreSQL 13 or newer.")
    }

    private var encoding: StoreFinding {
        let encoding = connection.parameterStatus("server_encoding") ?? "unknown"
        return encoding == "UTF8"
            ? StoreFinding("encoding", .ok, encoding)
            : StoreFinding(
                "encoding", .problem, "the database's encoding is \(encoding), but stores need UTF8",
                remedy: "Create another database with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0.")
    }

    private func store(_ record: StoreRecord, _ stored: ManagedObjectModel?) -> StoreFinding {
        let short = record.checksum.prefix(12)
        if let refusal = record.format.refusal(in: schemaName) {
            return StoreFinding("version", .problem, refusal)
        }
        if record.format.isOverExistingTables {
            return StoreFinding(
                "version", .note, "the store uses tables of another program",
                remedy: "Migrate the tables with that program.")
        }
        if let refusal = record.format.refusal(in: schemaName) {
            return StoreFinding("version", .problem, refusal)
        }
        guard let stored else {
            return StoreFinding(
                "version", .problem, "the model recorded in the store cannot be read",
                remedy: "Restore the row of \(StoreSchema.metadataTable) from a backup.")
        }
        guard stored.versionChecksum == record.checksum else {
            return StoreFinding(
                "version", .problem,
                "the record of the store was changed: its checksum \(short) is not that of its model (\(stored.versionChecksum.prefix(12)))",
                remedy: "Restore the row of \(StoreSchema.metadataTable) from a backup.")
        }
        if versions.isEmpty { return StoreFinding("version", .ok, "the store has the model \(short)") }
        if let version = versions.first(where: { $0.model.hasChecksum(record.checksum) }) {
            return StoreFinding("version", .ok, "the store has the version \(version.name) (\(short))")
        }
        let nearest = versions.map { ($0.name, $0.model.differences(from: stored)) }
            .min { $0.1.count < $1.1.count }
        let differences = nearest?.1 ?? []
        return StoreFinding(
            "version", .warning,
            "the store has the model \(short), which is not one of the given versions; the nearest is \(nearest?.0 ?? "") "
                + "(\(differences.count) \(differences.count == 1 ? "difference" : "differences"): \(differences.prefix(5).joined(separator: "; "))"
                + (differences.count > 5 ? "; …)" : ")"),
            remedy:
                "Add the model that created the store to the versions. If you no longer have it, run howdah migrate plan, which infers the steps from the recorded model."
        )
    }

    private func tables(_ schema: StoreSchema) throws -> [StoreFinding] {
        let known = Set(
            try rows(
                "SELECT c.relname::text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n "
                    + "ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')"
            ).map { $0[0] })
        let missing = schema.tables.map(\.name).filter { !known.contains($0) }
        guard missing.isEmpty else {
            return [
                StoreFinding(
                    "tables", .problem, "missing: \(missing.joined(separator: ", "))",
                    remedy: "Run howdah migrate verify, and restore the tables from a backup.")
            ]
        }
        return try [
            StoreFinding("tables", .ok, "\(schema.tables.count) of \(schema.tables.count)"), ids(schema),
        ] + triggers(schema)
    }

    private func ids(_ schema: StoreSchema) throws -> StoreFinding {
        do {
            let sequence = try connection.undoingFailure {
                try IdentifierSequence(of: schema, on: connection)
            }
            guard sequence.isBehind else {
                return StoreFinding("ids", .ok, "the sequence is ahead of all ids")
            }
            let name = SQLIdentifier.quoted(schemaName, schema.idSequence)
            return StoreFinding(
                "ids", .problem,
                "the sequence \(schema.idSequence) is at \(sequence.last.map(String.init) ?? "no value"), but an object has the id "
                    + "\(sequence.greatestID)",
                remedy: "Run SELECT setval(\(SQLLiteral.string(name)), \(sequence.greatestID)).")
        } catch let error as PostgresError where error.isOfLocks {
            return StoreFinding(
                "ids", .note, "not checked: a table is locked, for example by a migration",
                remedy: "Run howdah migrate doctor again when the lock is released.")
        }
    }

    /// Indicates whether the role that looks could migrate the store.
    private func migrating() throws -> [StoreFinding] {
        do {
            try MigratingRole(connection: connection, schemaName: schemaName).check()
            return [StoreFinding("migrating", .ok, "this role can migrate the store")]
        } catch let error as MigrationError {
            return [
                StoreFinding("migrating", error.code == .rowSecurity ? .warning : .note, error.message)
            ]
        }
    }

    private func grants(_ schema: StoreSchema) throws -> [StoreFinding] {
        try role.map {
            try RoleGrants(role: $0, onlyReads: onlyReads, schema: schema, on: connection).findings
        } ?? []
    }

    /// The texts of rows; the schema's name is the parameter.
    func rows(_ sql: String) throws -> [[String]] {
        var parameters = Parameters()
        if sql.contains("$1") { try parameters.append(schemaName) }
        return try connection.query(sql, parameters, cached: false).map { row in
            (0..<row.count).map { row[$0].isNull ? "" : row[$0].string() }
        }
    }
}
