import HowdahModel
import HowdahSchema
import PQClient

/// The tables, functions and sequences that a store has created in its schema, and no other objects.
///
/// Over tables of another program these are only the library's own tables.
struct StoreBelongings {
    /// The tables, by name.
    let tables: [String]
    /// The functions, quoted and with the types of their arguments.
    private let functions: [String]
    private let sequences: [String]
    /// The role that owns the store's record.
    let owner: String
    private let schemaName: String

    /// An object in the catalogue that the store has created.
    private struct Found {
        let name: String
        let kind: String
        let owner: String
        let isMine: Bool
    }

    /// Looks up the objects; the caller has locked the store's record.
    ///
    /// - Throws: `StoreError` with `notAStore` for a record that this version of the library cannot read, or
    ///   with `missingGrant` if the role may not drop them. `PostgresError`.
    init(of record: StoreRecord, in schemaName: String, on connection: Connection) throws {
        self.schemaName = schemaName
        let schema = try Self.schema(of: record, in: schemaName)
        let names = schema?.tables.map(\.name) ?? []
        let triggers = schema?.tables.flatMap { $0.triggers.map(\.name) } ?? []
        var parameters = Parameters()
        try parameters.append(schemaName)
        // The library's own names are reserved for it.
        let found = try connection.query(
            """
            SELECT c.relname::pg_catalog.text, c.relkind::pg_catalog.text, pg_catalog.pg_get_userbyid(c.relowner)::pg_catalog.text,
                pg_catalog.pg_has_role(c.relowner, 'USAGE')
            FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = $1 AND (c.relkind IN ('r', 'p') AND (c.relname LIKE '\\_howdah\\_%' OR c.relname IN (\(Self.list(names))))
                OR c.relkind = 'S' AND c.relname IN (\(Self.list([StoreSchema.idSequence, HistoryTables.sequenceName]))))
            UNION ALL
            SELECT p.oid::pg_catalog.regprocedure::pg_catalog.text, 'f', pg_catalog.pg_get_userbyid(p.proowner)::pg_catalog.text,
                pg_catalog.pg_has_role(p.proowner, 'USAGE')
            FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
            WHERE n.nspname = $1 AND (p.proname LIKE '\\_howdah\\_history%' OR p.proname LIKE '\\_howdah\\_track\\_%'
                OR p.proname IN (\(Self.list(schema == nil ? [] : FoldingFunctions.names)))
                OR p.proname IN (\(Self.list(triggers))) AND p.pronargs = 0 AND p.prorettype = 'pg_catalog.trigger'::pg_catalog.regtype)
            ORDER BY 1
            """, parameters, cached: false
        ).map {
            Found(name: $0[0].string(), kind: $0[1].string(), owner: $0[2].string(), isMine: $0[3].isTrue)
        }
        if let other = found.first(where: { !$0.isMine }) {
            throw StoreError(
                .missingGrant,
                "The role may not change '\(other.name)' of the store in schema '\(schemaName)', which the "
                    + "role \(other.owner) owns. Nothing was changed. Use the role \(other.owner), or a "
                    + "member of that role."
            )
        }
        func select(_ kinds: String...) -> [String] { found.filter { kinds.contains($0.kind) }.map(\.name) }
        tables = select("r", "p")
        functions = select("f")
        sequences = select("S")
        owner = found.first { $0.name == StoreSchema.metadataTable }?.owner ?? ""
    }

    /// Returns the tables that the store created; nil over tables of another program.
    static func schema(of record: StoreRecord, in schemaName: String) throws(StoreError)
        -> StoreSchema?
    {
        if let refusal = record.format.refusal(in: schemaName) { throw StoreError(.notAStore, refusal) }
        if record.format.isOverExistingTables { return nil }
        guard let model = try? ManagedObjectModel(canonicalJSON: record.model),
            model.versionChecksum == record.checksum,
            let schema = try? StoreSchema(model, schemaName: schemaName)
        else {
            throw StoreError(
                .notAStore,
                "The store in schema '\(schemaName)' records a model that this version of Howdah cannot "
                    + "read. Use the version of Howdah that created the store, or a newer one.")
        }
        return schema
    }

    /// Returns the tables that a store with a record's model has in a schema.
    ///
    /// - Throws: `StoreError` with `notAStore` for tables of another program, and for a record that cannot be
    ///   read.
    static func ownSchema(of record: StoreRecord, in schemaName: String) throws(StoreError) -> StoreSchema {
        guard let schema = try schema(of: record, in: schemaName) else {
            throw StoreError(
                .notAStore,
                "The tables in schema '\(schemaName)' belong to another program, so that they cannot become a store. "
                    + "Choose another schema.")
        }
        return schema
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "NULL" : names.map { SQLLiteral.string($0) }.joined(separator: ", ")
    }

    /// Drops all of them, and no objects that depend on them.
    ///
    /// - Throws: `StoreError` with `hasDependents`, naming the dependent objects; `PostgresError`.
    func drop(on connection: Connection) throws {
        let point = "howdah_drop"
        try connection.savepoint(point)
        func run(_ words: String, _ names: [String]) throws {
            if names.isEmpty { return }
            _ = try connection.query("\(words) \(names.joined(separator: ", "))", cached: false)
        }
        do {
            // The record first, at which others wait.
            try run("LOCK TABLE", [SQLIdentifier.quoted(schemaName, StoreSchema.metadataTable)])
            // Tables of another program stay, and lose what the history has attached to them.
            try HistoryTriggers.remove(from: schemaName, on: connection)
            let functions = try functions.filter { try exists($0, on: connection) }
            try run("DROP TABLE", tables.map { SQLIdentifier.quoted(schemaName, $0) })
            try run("DROP FUNCTION", functions)
            try run("DROP SEQUENCE", sequences.map { SQLIdentifier.quoted(schemaName, $0) })
            try connection.release(savepoint: point)
        } catch let error as PostgresError where error.sqlState == Self.dependentObjects {
            try connection.rollback(toSavepoint: point)
            let dependents = try dependents(on: connection)
            throw StoreError(
                .hasDependents,
                "Objects of other programs depend on the store in schema '\(schemaName)': "
                    + "\(dependents.joined(separator: ", ")). Nothing was changed. Drop these objects first.",
                databaseError: error)
        }
    }

    /// Returns a Boolean value that indicates whether a function exists.
    private func exists(_ function: String, on connection: Connection) throws -> Bool {
        var parameters = Parameters()
        try parameters.append(function)
        return try connection.query(
            "SELECT pg_catalog.to_regprocedure($1) IS NOT NULL", parameters, cached: false
        ).map { $0[0].isTrue }.first ?? false
    }

    private static let dependentObjects = "2BP01"

    /// Returns the objects that depend on them and are not a part of the store.
    private func dependents(on connection: Connection) throws -> [String] {
        var parameters = Parameters()
        try parameters.append(schemaName)
        let functions = functions.map { "\(SQLLiteral.string($0))::pg_catalog.regprocedure" }.joined(
            separator: ", ")
        return try connection.query(
            """
            WITH mine AS (
                SELECT c.oid, c.reltype FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = $1 AND c.relname IN (\(Self.list(tables + sequences)))
            ), ours AS (
                SELECT 'pg_catalog.pg_class'::pg_catalog.regclass AS classid, oid AS objid FROM mine
                UNION ALL SELECT 'pg_catalog.pg_type'::pg_catalog.regclass, t.oid FROM pg_catalog.pg_type t
                    JOIN mine ON t.oid = mine.reltype OR t.typelem = mine.reltype AND mine.reltype <> 0
                UNION ALL SELECT 'pg_catalog.pg_proc'::pg_catalog.regclass, p.oid FROM pg_catalog.pg_proc p
                    WHERE p.oid IN (\(functions.isEmpty ? "NULL" : functions))
            ), dependents AS (
                SELECT DISTINCT d.classid, d.objid, d.objsubid, COALESCE(r.ev_class, k.conrelid, f.adrelid, t.tgrelid, i.indrelid,
                    p.polrelid, CASE d.classid WHEN 'pg_catalog.pg_class'::pg_catalog.regclass THEN d.objid END) AS relation
                FROM pg_catalog.pg_depend d JOIN ours ON d.refclassid = ours.classid AND d.refobjid = ours.objid
                LEFT JOIN pg_catalog.pg_rewrite r ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND r.oid = d.objid
                LEFT JOIN pg_catalog.pg_constraint k ON d.classid = 'pg_catalog.pg_constraint'::pg_catalog.regclass AND k.oid = d.objid
                LEFT JOIN pg_catalog.pg_attrdef f ON d.classid = 'pg_catalog.pg_attrdef'::pg_catalog.regclass AND f.oid = d.objid
                LEFT JOIN pg_catalog.pg_trigger t ON d.classid = 'pg_catalog.pg_trigger'::pg_catalog.regclass AND t.oid = d.objid
                LEFT JOIN pg_catalog.pg_policy p ON d.classid = 'pg_catalog.pg_policy'::pg_catalog.regclass AND p.oid = d.objid
                LEFT JOIN pg_catalog.pg_index i ON d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND i.indexrelid = d.objid
                WHERE d.deptype = 'n'
            )
            SELECT DISTINCT CASE WHEN classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
                THEN pg_catalog.pg_describe_object('pg_catalog.pg_class'::pg_catalog.regclass, relation, 0)
                ELSE pg_catalog.pg_describe_object(classid, objid, objsubid) END
            FROM dependents WHERE relation IS NULL OR relation NOT IN (SELECT oid FROM mine) ORDER BY 1
            """, parameters, cached: false
        ).map { $0[0].string() }
    }
}
