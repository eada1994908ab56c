package import HowdahModel
package import PQClient

/// The triggers on a store's tables that its history needs: guards during a rollout, and those that track other programs.
///
/// The state of the history says which there must be.
package struct HistoryTriggers {
    private let schemaName: String
    /// The store's tables; nil if the triggers are only removed.
    private let schema: StoreSchema?
    private let connection: Connection

    /// A trigger that exists.
    private struct Found: Hashable {
        let table: String
        let name: String
        let function: String
    }

    /// The state of a trigger that exists.
    private struct State {
        /// Indicates whether programs fire it for the statements of its name, and its function belongs to the store's owner and
        /// runs with the owner's rights.
        var isWorking: Bool
        /// The text of its function.
        let body: String
    }

    package init(of schema: StoreSchema, on connection: Connection) {
        self.init(in: schema.schemaName, over: schema, on: connection)
    }

    private init(in schemaName: String, over schema: StoreSchema?, on connection: Connection) {
        self.schemaName = schemaName
        self.schema = schema
        self.connection = connection
    }

    /// Creates the missing and disabled triggers, writes the functions for the present model, and drops the other ones.
    ///
    /// The caller has begun a transaction as the store's owner. Without history nothing is done.
    ///
    /// - Throws: `PostgresError`.
    package func renew() throws {
        guard try HistoryRecord.exists(in: schemaName, on: connection) else { return }
        let (isGuarded, tracking) = try wanted()
        try change(isGuarded: isGuarded, tracking)
    }

    /// Drops all of them on which the role may do so, before the tables of a store are dropped.
    ///
    /// - Throws: `PostgresError`.
    package static func remove(from schemaName: String, on connection: Connection) throws {
        try HistoryTriggers(in: schemaName, over: nil, on: connection).change(isGuarded: false, [])
    }

    /// Drops all of them from the tables of the store, and from others on which the role may drop them, in a transaction of the
    /// caller as the store's owner.
    ///
    /// - Throws: `PostgresError`.
    package func remove() throws { try change(isGuarded: false, []) }

    /// The triggers that are missing, disabled, or have another function than this version creates, as `table.trigger`.
    ///
    /// - Throws: `PostgresError`.
    package func missing() throws -> [String] {
        let (isGuarded, tracking) = try wanted()
        let found = try present()
        var bodies = [HistoryTables.guardFunctionName: HistoryTables(in: schemaName).guardBody]
        for trigger in tracking {
            bodies[TrackingTrigger.functionName(of: trigger.table)] = trigger.functionBody
        }
        let faulty = expected(isGuarded: isGuarded, tracking).filter { trigger in
            found[trigger].map { !$0.isWorking || $0.body != bodies[trigger.function] } ?? true
        }
        return faulty.map { "\($0.table).\($0.name)" }.sorted()
    }

    /// Indicates whether tables have a guard, and returns the stored names of the entities whose tables have triggers.
    ///
    /// - Throws: `PostgresError`.
    func found() throws -> (isGuarded: Bool, tracked: [String]) {
        let present = try present().keys
        let name = TrackingTrigger.triggerName(for: TrackingTrigger.statements[0])
        let tables = Set(present.filter { $0.name == name }.map(\.table))
        let roots = schema?.entities.values.filter {
            $0.entityName == $0.rootEntity && tables.contains($0.table)
        }
        return (
            present.contains { $0.name == HistoryTables.guardTrigger },
            (roots ?? []).map(\.storedName).sorted()
        )
    }

    private func change(isGuarded: Bool, _ tracking: [TrackingTrigger]) throws {
        let tables = HistoryTables(in: schemaName)
        let functions = StoreFunctions(in: schemaName, on: connection)
        // Before the triggers are looked for, which go with them.
        let names =
            tracking.map { TrackingTrigger.functionName(of: $0.table) }
            + (isGuarded ? [HistoryTables.guardFunctionName] : [])
        for name in names { try functions.dropForeign(signature(name)) }
        let present = try present()
        let found = Set(present.filter(\.value.isWorking).keys)
        let expected = expected(isGuarded: isGuarded, tracking)
        for trigger in present.keys where !expected.contains(trigger) {
            try run([
                "DROP TRIGGER \(SQLIdentifier.quoted(trigger.name)) ON "
                    + SQLIdentifier.quoted(schemaName, trigger.table)
            ])
        }
        if isGuarded { try run([tables.guardFunction]) }
        for table in Set(
            expected.filter { $0.name == HistoryTables.guardTrigger && !found.contains($0) }.map(\.table)
        )
        .sorted() {
            try run(tables.guardCreation(on: table))
        }
        for trigger in tracking {
            try run(trigger.functionCreation)
            // A role that may call it could use it on another table, and write changes that never happened.
            try functions.revoke(signature(TrackingTrigger.functionName(of: trigger.table)))
            let isThere = Self.triggers(of: trigger).allSatisfy(found.contains)
            if !isThere { try run(trigger.triggerCreation) }
        }
        for function in try unusedFunctions() { try run(["DROP FUNCTION \(function)"]) }
    }

    private func signature(_ name: String) -> String { "\(SQLIdentifier.quoted(schemaName, name))()" }

    private func expected(isGuarded: Bool, _ tracking: [TrackingTrigger]) -> Set<Found> {
        // The triggers of a tracked table write the changes of every program, so nothing is missing.
        let tracked = Set(tracking.map(\.table))
        let guarded = isGuarded ? (schema?.tables ?? []).filter { !tracked.contains($0.name) } : []
        let guards = guarded.map {
            Found(
                table: $0.name, name: HistoryTables.guardTrigger, function: HistoryTables.guardFunctionName)
        }
        return Set(guards + tracking.flatMap(Self.triggers))
    }

    private static func triggers(of trigger: TrackingTrigger) -> [Found] {
        TrackingTrigger.statements.map {
            Found(
                table: trigger.table, name: TrackingTrigger.triggerName(for: $0),
                function: TrackingTrigger.functionName(of: trigger.table))
        }
    }

    /// The triggers by the state of the history. Tracked entities that the model does not have any more are left out.
    private func wanted() throws -> (isGuarded: Bool, [TrackingTrigger]) {
        let state = try connection.query(
            "SELECT s.\"is_guarded\", e.name FROM \(HistoryTables(in: schemaName).state) AS s "
                + "LEFT JOIN LATERAL pg_catalog.unnest(s.\"tracked\") AS e(name) ON TRUE", cached: false
        ).map { ($0[0].isTrue, $0[1].isNull ? nil : $0[1].string()) }
        var tracking: [TrackingTrigger] = []
        for name in state.compactMap(\.1).sorted() {
            guard let schema,
                let entity = schema.entityName(forStoredName: name).flatMap({ schema.entities[$0] })
            else { continue }
            for trigger in TrackingTrigger.all(for: entity, in: schema)
            where !tracking.contains(where: { $0.table == trigger.table }) {
                tracking.append(trigger)
            }
        }
        return (state.first?.0 ?? false, tracking)
    }

    /// The triggers of the store's tables, and of others on which the role may drop them.
    private func present() throws -> [Found: State] {
        let tables = schema?.tables.map { SQLLiteral.string($0.name) } ?? []
        let names = tables.isEmpty ? "NULL" : tables.joined(separator: ", ")
        return Dictionary(
            try connection.query(
                """
                SELECT c.relname::pg_catalog.text, g.tgname::pg_catalog.text, p.proname::pg_catalog.text,
                    g.tgenabled IN ('O', 'A') AND p.provolatile = 'v' AND NOT p.proisstrict
                        AND p.proconfig IS NOT DISTINCT FROM ARRAY['search_path=pg_catalog, pg_temp'::pg_catalog.text]
                        AND (p.prosecdef OR p.proname = \(SQLLiteral.string(HistoryTables.guardFunctionName)))
                        AND p.proowner IN (SELECT m.relowner FROM pg_catalog.pg_class m
                        WHERE m.relnamespace = n.oid AND m.relname = \(SQLLiteral.string(StoreSchema.metadataTable))),
                    p.prosrc, pg_catalog.concat_ws('|', g.tgtype, coalesce(g.tgoldtable, ''), coalesce(g.tgnewtable, ''),
                        pg_catalog.strpos(pg_catalog.pg_get_triggerdef(g.oid), \(SQLLiteral.string(HistoryTables.setting))) > 0
                            AND g.tgattr::pg_catalog.text = ''::pg_catalog.text
                            AND pg_catalog.strpos(pg_catalog.pg_get_triggerdef(g.oid), 'IS DISTINCT FROM ''on') > 0)
                FROM pg_catalog.pg_trigger g JOIN pg_catalog.pg_class c ON c.oid = g.tgrelid
                JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace JOIN pg_catalog.pg_proc p ON p.oid = g.tgfoid
                WHERE n.nspname = $1 AND NOT g.tgisinternal AND g.tgparentid = 0
                    AND (c.relname IN (\(names)) OR pg_catalog.pg_has_role(c.relowner, 'USAGE'::pg_catalog.text))
                    AND (g.tgname = \(SQLLiteral.string(HistoryTables.guardTrigger))
                        OR g.tgname LIKE \(Self.pattern))
                """, place, cached: false
            ).map { row in
                (
                    Found(table: row[0].string(), name: row[1].string(), function: row[2].string()),
                    State(
                        isWorking: row[3].isTrue && row[5].string() == Self.shapes[row[1].string()],
                        body: row[4].string())
                )
            },
            uniquingKeysWith: { State(isWorking: $0.isWorking && $1.isWorking, body: $0.body) })
    }

    /// The statements that fire each trigger, by the numbers of `pg_trigger`, the rows that it sees, and whether it has the
    /// condition.
    private static let shapes: [String: String] = {
        let shapes = [
            "INSERT": "4||new_rows|t", "UPDATE": "16|old_rows|new_rows|t", "DELETE": "8|old_rows||t",
        ]
        let named = TrackingTrigger.statements.map {
            (TrackingTrigger.triggerName(for: $0), shapes[$0] ?? "32|||t")
        }
        return Dictionary(uniqueKeysWithValues: named + [(HistoryTables.guardTrigger, "62|||t")])
    }()

    /// Takes the right to call the functions of tracked tables from all roles but their owner. A dump without rights gives it
    /// to all roles.
    ///
    /// - Throws: `PostgresError`.
    func revokeFunctions() throws {
        let functions = StoreFunctions(in: schemaName, on: connection)
        for function in try self.functions(where: "p.proname LIKE \(Self.pattern)") {
            try functions.revoke(function)
        }
    }

    /// The functions of such triggers that no table has any more, as DROP names them.
    private func unusedFunctions() throws -> [String] {
        try functions(
            where: """
                (p.proname = \(SQLLiteral.string(HistoryTables.guardFunctionName)) OR p.proname LIKE \(Self.pattern))
                    AND NOT EXISTS (SELECT FROM pg_catalog.pg_trigger g WHERE g.tgfoid = p.oid)
                """)
    }

    /// The functions of triggers that belong to the store's owner. Others have nothing of the history.
    private func functions(where condition: String) throws -> [String] {
        try connection.query(
            """
            SELECT pg_catalog.format('%I.%I()', n.nspname, p.proname)
            FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
            WHERE n.nspname = $1 AND p.pronargs = 0 AND p.prorettype = 'pg_catalog.trigger'::pg_catalog.regtype
                AND p.proowner IN (SELECT m.relowner FROM pg_catalog.pg_class m
                    WHERE m.relnamespace = n.oid AND m.relname = \(SQLLiteral.string(StoreSchema.metadataTable)))
                AND \(condition)
            """, place, cached: false
        ).map { $0[0].string() }
    }

    /// The names that begin with ``TrackingTrigger/prefix``.
    private static let pattern = SQLLiteral.string(TrackingTrigger.prefix.replacing("_", with: "\\_") + "%")

    private var place: Parameters {
        get throws {
            var parameters = Parameters()
            try parameters.append(schemaName)
            return parameters
        }
    }

    private func run(_ statements: [String]) throws {
        for statement in statements { _ = try connection.query(statement, cached: false) }
    }
}
