import HowdahModel
import PQClient

/// The statements of a plan, chosen by the number of rows of each shape.
///
/// A few rows are single statements in a pipeline, more are arrays, and many are COPY.
struct SaveBatches {
    /// The number of rows from which arrays are faster than single rows.
    static let arrayThreshold = 8
    /// The number of rows from which COPY is faster than arrays.
    static let copyThreshold = 128
    static let chunk = 1_000

    private(set) var segments: [SaveSegment] = []
    /// The only statement, if it needs no transaction. It does all or nothing, even if a necessary row is
    /// missing.
    private(set) var single: SaveStatement?

    /// The history of the save; nil if the store has none.
    let history: HistoryRows?

    /// All segments, with the history at the end.
    func segmentsWithHistory() throws -> [SaveSegment] {
        let last = try history?.statements().map { $0.about(StatementSubject(.insert)) } ?? []
        guard !last.isEmpty else { return segments }
        guard case .statements(let statements)? = segments.last else { return segments + [.statements(last)] }
        return segments.dropLast() + [.statements(statements + last)]
    }

    /// A Boolean value that indicates whether rows may be missing, so that results must be checked before
    /// COMMIT.
    private(set) var isGuarded = false

    /// A Boolean value that indicates whether statements need the planner to use nested loops.
    private(set) var needsNestedLoops = false

    /// A Boolean value that indicates whether version triggers must treat the statements as this save's own.
    let holdsTriggers: Bool

    private var pending: [SaveStatement] = []
    private let takesLocks: Bool
    private let refusingCopies: Set<String>

    /// - Parameters:
    ///   - locks: The first statements, which only lock.
    ///   - derived: The statements that compute derived attributes from all written values.
    ///   - history: The history, which is written last.
    ///   - refusingCopies: The quoted names of the tables into which the server refuses a COPY.
    ///   - takesLocks: Indicates whether the planner's settings can no longer be changed, or would outlast
    ///     the save.
    init(
        _ plan: SavePlan, locks: [SaveStatement] = [], derived: [SaveStatement] = [],
        history: HistoryRows? = nil, refusingCopies: Set<String> = [], takesLocks: Bool = false
    ) throws {
        self.takesLocks = takesLocks
        self.refusingCopies = refusingCopies
        self.history = history
        holdsTriggers = plan.keepsVersions
        pending = locks
        for parking in plan.parkings { try add(parking, locked: plan.isLocked) }
        for update in plan.movesAway { try add(update, locked: plan.isLocked) }
        for nullification in plan.nullifications { try add(nullification) }
        for links in plan.linkDeletes { try add(links, isInsertion: false) }
        for purge in plan.purges { add(purge) }
        for delete in plan.deletes { try add(delete, locked: plan.isLocked) }
        for bump in plan.bumps { try add(bump) }
        for update in plan.updates { try add(update, locked: plan.isLocked) }
        for order in plan.orders { add(order) }
        for insert in plan.inserts { try add(insert) }
        for links in plan.linkInserts { try add(links, isInsertion: true) }
        pending += derived
        flush()
        if segments.count == 1, case .statements(let statements) = segments[0], statements.count == 1,
            (statements[0].guarded?.keys.count ?? 1) == 1
        {
            single = statements[0]
        }
    }

    /// Creates the batches of one statement that must touch one row.
    init(sole statement: SaveStatement, history: HistoryRows?) {
        self.history = history
        segments = [.statements([statement])]
        single = statement
        isGuarded = true
        holdsTriggers = false
        takesLocks = false
        refusingCopies = []
    }

    private mutating func flush() {
        if !pending.isEmpty { segments.append(.statements(pending)) }
        pending = []
    }

    // MARK: Updates

    private mutating func add(_ update: SavePlan.RowUpdate, locked: Bool) throws {
        isGuarded = true
        // unnest would take arrays of arrays apart; such rows are written one by one, in one pipeline.
        if update.rows.count < Self.arrayThreshold
            || !update.columns.allSatisfy(\.isUnnested)
        {
            for row in update.rows { pending.append(try single(update, row)) }
            return
        }
        for start in stride(from: 0, to: update.rows.count, by: Self.chunk) {
            let rows = update.rows[start..<min(start + Self.chunk, update.rows.count)]
            pending.append(try array(update, rows, locked: locked))
        }
    }

    private func single(_ update: SavePlan.RowUpdate, _ row: SavePlan.Row) throws -> SaveStatement {
        var parameters = Parameters()
        for (column, value) in zip(update.columns, row.values) {
            try parameters.append(column.sent) { try $0.write(value, as: column.type) }
        }
        parameters.append(row.key)
        parameters.append(row.version)
        let known = update.bumpsVersion ? update.textForRow : nil
        let sql =
            try known
            ?? WrittenColumns.textForRow(
                update.table, update.columns, returning: update.readBack?.list(),
                bumpsVersion: update.bumpsVersion)
        return SaveStatement(
            sql, parameters, guarded: .init(table: update.table.name, keys: [row.key]),
            readBack: update.readBack, about: .init(.update, update.table.subject))
    }

    private mutating func array(
        _ update: SavePlan.RowUpdate, _ rows: ArraySlice<SavePlan.Row>, locked: Bool
    ) throws -> SaveStatement {
        var parameters = Parameters()
        let keys = rows.map(\.key)
        parameters.append(keys)
        parameters.append(rows.map(\.version))
        try append(columns: update.columns, rows, to: &parameters)
        let names = update.columns.indices.map { "c\($0)" }
        var settings = zip(update.columns, names).map { "\($0.name) = v.\($1)" }
        let (key, version) = (update.table.key.name, try update.table.writtenVersion())
        if update.bumpsVersion { settings.append("\(version) = t.\(version) + 1") }
        let values =
            "\(SQLRows.unnesting(parameters.count)) AS v(\((["k", "n"] + names).joined(separator: ", ")))"
        let condition = "t.\(key) = v.k AND t.\(version) = v.n"
        let statement =
            "UPDATE \(update.table) t SET \(settings.joined(separator: ", ")) FROM \(values) WHERE \(condition)"
        let sql =
            (locked ? statement : guardedInOrder(statement, of: update.table, "FOR NO KEY UPDATE"))
            + returning(update.readBack, "t")
        return SaveStatement(
            sql, parameters, guarded: .init(table: update.table.name, keys: keys), readBack: update.readBack,
            about: .init(.update, update.table.subject))
    }

    /// Returns a statement over sorted arrays that locks its rows in their order.
    ///
    /// It uses nested loops, which follow the arrays, or locks. With the settings it has a separate text. The
    /// server made its plan for a text under the settings of that time, and uses it under others.
    private mutating func guardedInOrder(_ statement: String, of table: StoredTable, _ lock: String) -> String
    {
        if takesLocks { return Self.inOrder(statement, of: table, lock) }
        needsNestedLoops = true
        return statement + " /* by nested loops */"
    }

    /// Returns a statement that locks its rows in the order of their keys, the first parameter, with any
    /// plan.
    ///
    /// Two statements with different orders would wait for each other. The lock is a condition that is
    /// evaluated once, not a third table to join. A generic plan would join it by nested loops.
    private static func inOrder(_ statement: String, of table: StoredTable, _ lock: String) -> String {
        let key = table.key.name
        return
            "WITH l AS MATERIALIZED (SELECT \(key) FROM \(table) WHERE \(key) = ANY($1) ORDER BY \(key) \(lock)) "
            + "\(statement) AND (SELECT pg_catalog.count(*) FROM l) >= 0"
    }

    /// Returns the same for places in lists, whose rows are identified by the first one or two parameters.
    private static func inOrder(_ statement: String, of order: SavePlan.OrderRows) -> String {
        let keys = order.keyColumns.map { "r.\($0)" }.joined(separator: ", ")
        let names = order.keyColumns.indices.map { "k\($0)" }
        let condition = zip(order.keyColumns, names).map { "r.\($0) = w.\($1)" }.joined(separator: " AND ")
        return
            "WITH l AS MATERIALIZED (SELECT \(keys) FROM \(order.table) r "
            + "JOIN \(SQLRows.unnesting(names.count)) AS w(\(names.joined(separator: ", "))) ON \(condition) "
            + "ORDER BY \(keys) FOR NO KEY UPDATE OF r) "
            + "\(statement) AND (SELECT pg_catalog.count(*) FROM l) >= 0"
    }

    private func returning(_ readBack: ReadBack?, _ alias: String? = nil) -> String {
        readBack.map { " RETURNING " + $0.list(alias) } ?? ""
    }

    // MARK: Places in lists

    private mutating func add(_ bump: SavePlan.RowBump) throws {
        let (key, version) = (bump.table.key.name, try bump.table.writtenVersion())
        var parameters = Parameters()
        parameters.append(bump.keys)
        pending.append(
            SaveStatement(
                Self.inOrder(
                    "UPDATE \(bump.table) SET \(version) = \(version) + 1 WHERE \(key) = ANY($1)",
                    of: bump.table,
                    "FOR NO KEY UPDATE"), parameters, about: .init(.update, bump.table.subject)))
    }

    private mutating func add(_ order: SavePlan.OrderRows) {
        let names = order.keyColumns.indices.map { "k\($0)" }
        let condition = zip(order.keyColumns, names).map { "t.\($0) = v.\($1)" }.joined(separator: " AND ")
        for start in stride(from: 0, to: order.rows.count, by: Self.chunk) {
            let rows = order.rows[start..<min(start + Self.chunk, order.rows.count)]
            var parameters = Parameters()
            for index in order.keyColumns.indices { parameters.append(rows.map { $0.keys[index] }) }
            parameters.append(rows.map(\.number))
            let statement =
                "UPDATE \(order.table) t SET \(order.orderColumn) = v.o "
                + "FROM \(SQLRows.unnesting(names.count + 1)) AS v(\((names + ["o"]).joined(separator: ", "))) WHERE \(condition)"
            // Members that are not written otherwise are not locked either.
            let sql = rows.count == 1 ? statement : Self.inOrder(statement, of: order)
            pending.append(SaveStatement(sql, parameters, about: .init(.update, order.table)))
        }
    }

    // MARK: Deletes and links

    private mutating func add(_ nullification: SavePlan.RowNullification) throws {
        var parameters = Parameters()
        parameters.append(nullification.keys)
        let key = nullification.table.key.name
        var settings = nullification.columns.map { "\($0) = NULL" }
        if nullification.movesVersions {
            let version = try nullification.table.writtenVersion()
            settings.append("\(version) = \(version) + 1")
        }
        for (column, value) in nullification.moments {
            try parameters.append(column.sent) { try $0.write(value, as: column.type) }
            settings.append("\(column.name) = $\(parameters.count)")
        }
        pending.append(
            SaveStatement(
                Self.inOrder(
                    "UPDATE \(nullification.table) SET \(settings.joined(separator: ", ")) WHERE \(key) = ANY($1)",
                    of: nullification.table, "FOR NO KEY UPDATE"), parameters,
                about: .init(.update, nullification.table.subject)))
    }

    private mutating func add(_ purge: SavePlan.LinkPurge) {
        var parameters = Parameters()
        parameters.append(purge.keys)
        pending.append(
            SaveStatement(
                "DELETE FROM \(purge.table) WHERE \(purge.column) = ANY($1)", parameters,
                about: .init(.delete, purge.table)))
    }

    private mutating func add(_ delete: SavePlan.RowDelete, locked: Bool) throws {
        let (key, version) = (delete.table.key.name, try delete.table.writtenVersion())
        var parameters = Parameters()
        guard let versions = delete.versions else {
            parameters.append(delete.keys)
            let statement = "DELETE FROM \(delete.table) WHERE \(key) = ANY($1)"
            pending.append(
                SaveStatement(
                    locked ? statement : Self.inOrder(statement, of: delete.table, "FOR UPDATE"), parameters,
                    about: .init(.delete, delete.table.subject)))
            return
        }
        isGuarded = true
        let sql: String
        if delete.keys.count == 1 {
            parameters.append(delete.keys[0])
            if let version = versions[0] { parameters.append(version) } else { parameters.appendNull(.int8) }
            sql = "DELETE FROM \(delete.table) WHERE \(key) = $1 AND ($2 IS NULL OR \(version) = $2)"
        } else {
            parameters.append(delete.keys)
            parameters.appendArray(of: .int8, count: versions.count) { cells in
                for version in versions { if let version { cells.int64(version) } else { cells.null() } }
            }
            let statement =
                "DELETE FROM \(delete.table) t USING unnest($1, $2) AS v(k, n) "
                + "WHERE t.\(key) = v.k AND (v.n IS NULL OR t.\(version) = v.n)"
            sql = locked ? statement : guardedInOrder(statement, of: delete.table, "FOR UPDATE")
        }
        pending.append(
            SaveStatement(
                sql, parameters, guarded: .init(table: delete.table.name, keys: delete.keys),
                about: .init(.delete, delete.table.subject)))
    }

    private mutating func add(_ links: SavePlan.LinkRows, isInsertion: Bool) throws {
        let columns = links.columns
        for start in stride(from: 0, to: links.pairs.count, by: Self.chunk) {
            let pairs = links.pairs[start..<min(start + Self.chunk, links.pairs.count)]
            var parameters = Parameters()
            parameters.append(pairs.map(\.own))
            parameters.append(pairs.map(\.other))
            if isInsertion {
                var names = [columns.ownColumn, columns.otherColumn]
                for (name, entities) in [
                    (columns.ownEntityColumn, pairs.map(\.ownEntity)),
                    (columns.otherEntityColumn, pairs.map(\.otherEntity)),
                ] {
                    guard let name else { continue }
                    names.append(name)
                    try parameters.appendArray(of: .text, count: entities.count) { cells in
                        for entity in entities { try cells.string(entity) }
                    }
                }
                let orders = [
                    columns.orderColumn.map { ($0, pairs.map { $0.ownOrder ?? 0 }) },
                    columns.otherOrderColumn.map { ($0, pairs.map { $0.otherOrder ?? 0 }) },
                ].compactMap(\.self)
                for (name, numbers) in orders {
                    names.append(name)
                    parameters.append(numbers)
                }
                let settings = orders.map { "\($0.0) = EXCLUDED.\($0.0)" }.joined(separator: ", ")
                let onConflict =
                    settings.isEmpty
                    ? "DO NOTHING"
                    : "(\(columns.ownColumn), \(columns.otherColumn)) DO UPDATE SET \(settings)"
                pending.append(
                    SaveStatement(
                        "INSERT INTO \(columns.table) (\(names.joined(separator: ", "))) "
                            + "SELECT * FROM \(SQLRows.unnesting(parameters.count)) ON CONFLICT \(onConflict)",
                        parameters, about: .init(.insert, columns.subject)))
            } else {
                pending.append(
                    SaveStatement(
                        "DELETE FROM \(columns.table) j USING unnest($1, $2) AS v(a, b) "
                            + "WHERE j.\(columns.ownColumn) = v.a AND j.\(columns.otherColumn) = v.b",
                        parameters, about: .init(.delete, columns.subject)))
            }
        }
    }

    // MARK: Inserts

    private mutating func add(_ insert: SavePlan.RowInsert) throws {
        let names = insert.columns.map(\.name).joined(separator: ", ")
        let hasArrays = !insert.columns.allSatisfy(\.isUnnested)
        let copies = !refusingCopies.contains(insert.table.name)
        if copies, insert.rows.count >= (hasArrays ? Self.arrayThreshold : Self.copyThreshold) {
            flush()
            segments.append(
                .copy(
                    SaveCopy(
                        sql: "COPY \(insert.table) (\(names)) FROM STDIN (FORMAT binary)", insert: insert)))
            if let readBack = insert.readBack {
                var parameters = Parameters()
                parameters.append(insert.rows.map(\.key))
                pending.append(
                    SaveStatement(
                        "SELECT \(readBack.list()) FROM \(insert.table) WHERE \(insert.table.key.name) = ANY($1)",
                        parameters,
                        readBack: readBack, about: .init(.select, insert.table.subject)))
            }
        } else if !hasArrays, insert.rows.count >= Self.arrayThreshold {
            for start in stride(from: 0, to: insert.rows.count, by: Self.chunk) {
                var parameters = Parameters()
                let rows = insert.rows[start..<min(start + Self.chunk, insert.rows.count)]
                try append(columns: insert.columns, rows, to: &parameters)
                pending.append(
                    SaveStatement(
                        "INSERT INTO \(insert.table) (\(names))\(insert.table.overriding) SELECT * FROM \(SQLRows.unnesting(parameters.count))"
                            + returning(insert.readBack), parameters, readBack: insert.readBack,
                        about: .init(.insert, insert.table.subject)))
            }
        } else {
            for row in insert.rows {
                var parameters = Parameters()
                for (column, value) in zip(insert.columns, row.values) {
                    try parameters.append(column.sent) { try $0.write(value, as: column.type) }
                }
                let places = (1...parameters.count).map { "$\($0)" }.joined(separator: ", ")
                let unless = insert.arbiter.map { " ON CONFLICT\($0) DO NOTHING" } ?? ""
                if insert.isGuarded { isGuarded = true }
                pending.append(
                    SaveStatement(
                        "INSERT INTO \(insert.table) (\(names))\(insert.table.overriding) VALUES (\(places))\(unless)"
                            + returning(insert.readBack), parameters,
                        guarded: insert.isGuarded ? .init(table: insert.table.name, keys: [row.key]) : nil,
                        readBack: insert.readBack, about: .init(.insert, insert.table.subject)))
            }
        }
    }

    private func append(
        columns: [LayoutColumn], _ rows: ArraySlice<SavePlan.Row>, to parameters: inout Parameters
    ) throws {
        for (index, column) in columns.enumerated() {
            try parameters.appendArray(of: column.sent, count: rows.count) { cells in
                for row in rows { try cells.write(row.values[index], as: column.type) }
            }
        }
    }
}
