internal import HowdahModel
internal import HowdahSchema
internal import PQClient

/// Foreign keys of other programs that would delete or empty rows of theirs when rows move to another table.
struct ForeignDeletions {
    let connection: Connection
    let source: ManagedObjectModel
    let plan: MigrationPlan
    /// The state of the store when nothing was done, as a sentence without its end.
    let aftermath: String

    private struct Key {
        let name: String
        /// The table that has it, with its schema if that is another one.
        let table: String
        let action: String
        let referenced: String
    }

    /// The letters of actions in the catalogue, with their names and what they do to rows.
    private static let actions = [
        "c": (name: "CASCADE", effect: "delete rows"), "n": (name: "SET NULL", effect: "empty columns"),
        "d": (name: "SET DEFAULT", effect: "reset columns"),
    ]

    /// - Throws: `MigrationError` with `unfitData` that names all of them; `PostgresError`.
    func check() throws {
        let departures = plan.steps.enumerated().filter { $0.element.departure != nil }
        if departures.isEmpty { return }
        let keys = try keys(to: Set(departures.compactMap(\.element.departure)))
        let faults = departures.flatMap { number, step in
            keys.filter { $0.referenced == step.departure }.compactMap { key in
                Self.actions[key.action].map { action in
                    "Step \(number + 1) of \(plan.steps.count) (\(step.reason)): The foreign key \"\(key.name)\" of table "
                        + "\"\(key.table)\" is not in the model and would \(action.effect) of that table "
                        + "(ON DELETE \(action.name))."
                }
            }
        }
        if faults.isEmpty { return }
        let (noun, pronoun) = faults.count == 1 ? ("foreign key", "it") : ("foreign keys", "them")
        throw MigrationError(
            .unfitData,
            "\(faults.joined(separator: " ")) \(aftermath). Drop the \(noun) before the migration, or change "
                + "\(pronoun) to ON DELETE NO ACTION.")
    }

    /// The keys that refer to some tables and act when rows are deleted, without those of the model.
    private func keys(to tables: Set<String>) throws -> [Key] {
        let schema = try StoreSchema(source, schemaName: plan.schemaName)
        let names = tables.sorted().map { SQLLiteral.string($0) }.joined(separator: ", ")
        let found = try connection.query(
            """
            SELECT c.conname::pg_catalog.text, n.nspname::pg_catalog.text, t.relname::pg_catalog.text,
                c.confdeltype::pg_catalog.text, r.relname::pg_catalog.text
            FROM pg_catalog.pg_constraint c
            JOIN pg_catalog.pg_class t ON t.oid OPERATOR(pg_catalog.=) c.conrelid
            JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) t.relnamespace
            JOIN pg_catalog.pg_class r ON r.oid OPERATOR(pg_catalog.=) c.confrelid
            JOIN pg_catalog.pg_namespace s ON s.oid OPERATOR(pg_catalog.=) r.relnamespace
            WHERE c.contype OPERATOR(pg_catalog.=) 'f' AND c.conparentid OPERATOR(pg_catalog.=) 0
                AND s.nspname OPERATOR(pg_catalog.=) \(SQLLiteral.string(plan.schemaName))
                AND r.relname OPERATOR(pg_catalog.=) ANY (ARRAY[\(names)]::pg_catalog.name[])
            ORDER BY 2, 3, 1
            """, cached: false
        ).map { row in (0..<5).map { row[$0].string() } }
        return found.compactMap { row in
            let isHere = row[1] == plan.schemaName
            let known = isHere ? schema.table(named: row[2])?.foreignKeys.map(\.name) ?? [] : []
            guard Self.actions[row[3]] != nil, !known.contains(row[0]) else { return nil }
            return Key(
                name: row[0], table: isHere ? row[2] : "\(row[1]).\(row[2])", action: row[3],
                referenced: row[4])
        }
    }
}

extension ForeignDeletions {
    /// The same for a plan that is shown. What an earlier migration left is done before it, and may end keys.
    static func check(
        _ plan: MigrationPlan, from source: ManagedObjectModel, _ aftermath: String, on connection: Connection
    ) throws {
        guard plan.steps.contains(where: { $0.departure != nil }),
            try PendingWork(connection, in: plan.schemaName).steps().isEmpty
        else { return }
        try ForeignDeletions(connection: connection, source: source, plan: plan, aftermath: aftermath).check()
    }
}
