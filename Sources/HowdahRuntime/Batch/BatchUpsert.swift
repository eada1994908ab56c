import HowdahModel
import PQClient

/// Rows that may exist already, kept back until there are enough for a statement with `ON CONFLICT`.
///
/// A statement cannot meet a row twice. So if a row has the unique values of a waiting one, all are sent first:
/// the last row wins. Waiting rows are sent in the order of the unique values, so that two insertions lock
/// existing rows in one order. This includes rows that name different properties.
struct BatchUpsert {
    private static let most = 1_000
    private static let mostParameters = 60_000

    private let columns: BatchColumns
    /// The rule that identifies stored rows; nil if rows are simply inserted.
    private let arbiter: BatchArbiter?
    private let keptSlots: Set<Int>
    /// The to-ones whose former destinations the history needs; nil if there are none.
    private let trace: BatchTrace?
    /// The positions of the arbiter's columns.
    private let keyPlaces: [Int]
    private var waiting: [Row] = []
    private var known: Set<[Value]> = []
    /// The statement that was sent last.
    var running: Statement?

    private struct Row {
        let values: [Value]
        /// The properties that the row names; empty if the policy does not depend on them.
        let named: [Bool]
        let number: Int
    }

    /// The rows of a statement that name a property.
    private enum Naming {
        case none, all
        /// Those for which the condition in SQL is true.
        case some(String)

        /// The condition before another one.
        var conjunction: String { if case .some(let condition) = self { "\(condition) AND " } else { "" } }
    }

    /// A statement, and the rows in it.
    struct Statement {
        /// The statement that stores the new rows only, and locks the others; nil if one statement does all.
        let locking: String?
        let sql: String
        let parameters: Parameters
        let keys: [Int64]
        fileprivate let rows: [[Value]]
        fileprivate let numbers: [Int]
        fileprivate let columns: BatchColumns
        /// The properties that identify stored rows.
        let uniqueProperties: [String]
    }

    init(
        _ columns: BatchColumns, _ arbiter: BatchArbiter?, _ keptSlots: Set<Int>, _ trace: BatchTrace?
    ) {
        self.columns = columns
        self.arbiter = arbiter
        self.keptSlots = keptSlots
        let needsTrace = arbiter.map { $0.policy != .rollback } ?? false
        self.trace = needsTrace && trace?.ends.isEmpty == false ? trace : nil
        let unique = arbiter?.columns ?? []
        keyPlaces = unique.compactMap { column in
            let name = columns.layout.columns[column.position].name
            return columns.all.firstIndex { $0.name == name }
        }
    }

    /// Returns a Boolean value that indicates whether waiting rows must be sent before the row.
    func isFull(before row: [Value]) -> Bool {
        waiting.count >= Self.most || unique(row).map { known.contains($0) } ?? false
    }

    /// Adds a waiting row.
    ///
    /// - Throws: `FetchError.invalidRequest` for a relationship that only new rows may set.
    mutating func add(_ row: [Value], named: [Bool], row number: Int) throws {
        if let arbiter, arbiter.policy != .rollback {
            for (property, isNamed) in zip(columns.properties, named)
            where isNamed && keptSlots.contains(property.slot) {
                throw FetchError(
                    .invalidRequest,
                    "The request could change \(columns.layout.name).\(property.name) of an existing row "
                        + "(row \(number)). A batch request cannot do that, because the inverse is ordered "
                        + "or has a minimum or maximum count. Set \(property.name) in a context."
                )
            }
        }
        let isByProperty = arbiter.map { $0.policy != .rollback && $0.policy != .overwrite } ?? false
        waiting.append(Row(values: row, named: isByProperty ? named : [], number: number))
        if let values = unique(row) { known.insert(values) }
    }

    mutating func clear() {
        waiting = []
        known = []
        running = nil
    }

    /// Returns the statements for the waiting rows.
    func statements() throws -> [Statement] {
        let isUnnested = columns.all.allSatisfy(\.isUnnested)
        let chunk = isUnnested ? Self.most : max(1, min(100, Self.mostParameters / columns.all.count))
        let ranks = waiting.map { BatchRank(unique($0.values) ?? []) }
        let order = waiting.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }
        return try stride(from: 0, to: order.count, by: chunk).map { start in
            try statement(order[start..<min(start + chunk, order.count)].map { waiting[$0] }, isUnnested)
        }
    }

    private func statement(_ waiting: [Row], _ isUnnested: Bool) throws -> Statement {
        let rows = waiting.map(\.values)
        var parameters = Parameters()
        let source: String
        if isUnnested {
            for (index, column) in columns.all.enumerated() {
                try parameters.appendArray(of: column.sent, count: rows.count) { cells in
                    for row in rows { try cells.write(row[index], as: column.type) }
                }
            }
            source =
                "SELECT * FROM \(SQLRows.unnesting(parameters.count))"
        } else {
            var lines: [String] = []
            for row in rows {
                let first = parameters.count + 1
                for (value, column) in zip(row, columns.all) {
                    try parameters.append(column.sent) { try $0.write(value, as: column.type) }
                }
                lines.append("(\((first...parameters.count).map { "$\($0)" }.joined(separator: ", ")))")
            }
            source = "VALUES \(lines.joined(separator: ", "))"
        }
        let layout = columns.layout
        let names = columns.all.map(\.name).joined(separator: ", ")
        let insertion = "INSERT INTO \(layout.table) AS t (\(names))\(layout.table.overriding)"
        var (locking, sql): (String?, String) = (nil, "\(insertion) \(source)")
        if let arbiter {
            let namings = columns.properties.indices.map { naming($0, waiting, &parameters) }
            let conflict = "ON CONFLICT\(arbiter.target)"
            let (action, key) = (try action(namings, arbiter), layout.table.key("t"))
            sql += " \(conflict) \(action) RETURNING \(key)"
            if let trace {
                // A statement shows the former values of rows only if they were locked before it began.
                let version = try layout.table.writtenVersion()
                locking =
                    "\(insertion) \(source) \(conflict) DO UPDATE SET \(version) = t.\(version) WHERE FALSE "
                    + "RETURNING \(key)"
                let cells = columns.all.indices.map { "c\($0)" }
                let rest =
                    "SELECT s.* FROM (\(source)) s(\(cells.joined(separator: ", "))) "
                    + "WHERE NOT EXISTS (SELECT FROM \(layout.table) o WHERE \(layout.table.key("o")) = s.c0)"
                sql =
                    "\(insertion) \(rest) \(conflict) \(action) RETURNING \(key), \(trace.formerColumns)"
            }
        }
        let keys = rows.map { row in if case .int(let key) = row[0] { key } else { Int64(0) } }
        return Statement(
            locking: locking, sql: sql, parameters: parameters, keys: keys, rows: rows,
            numbers: waiting.map(\.number), columns: columns,
            uniqueProperties: (arbiter?.columns ?? []).map { columns.layout.slots[$0.slot].name })
    }

    /// Returns the rows that name a property. Rows are identified by the keys that they have if they are new.
    private func naming(_ place: Int, _ rows: [Row], _ parameters: inout Parameters) -> Naming {
        let naming = rows.filter { $0.named.indices.contains(place) && $0.named[place] }
        if naming.isEmpty { return .none }
        if naming.count == rows.count { return .all }
        parameters.append(
            naming.map { row in if case .int(let key) = row.values[0] { key } else { Int64(0) } })
        let key = columns.layout.table.key.name
        return .some("EXCLUDED.\(key)::pg_catalog.int8 = ANY($\(parameters.count))")
    }

    // MARK: What a row that is there becomes

    private func action(_ namings: [Naming], _ arbiter: BatchArbiter) throws -> String {
        var settings: [String] = []
        var differences: [String] = []
        for (place, property) in columns.properties.enumerated() {
            let names = property.columns.map(\.name)
            if columns.layout.derived?.moments.contains(property.slot) == true {
                settings += names.map { "\($0) = EXCLUDED.\($0)" }
                continue
            }
            if case .fixed = property.kind { continue }
            if keptSlots.contains(property.slot) { continue }
            switch (arbiter.policy, namings[place]) {
            case (.overwrite, _), (.mergeByPropertyObjectTrump, .all):
                settings += names.map { "\($0) = EXCLUDED.\($0)" }
            case (.mergeByPropertyObjectTrump, .some(let isNamed)):
                settings += names.map {
                    "\($0) = CASE WHEN \(isNamed) THEN EXCLUDED.\($0) ELSE t.\($0) END"
                }
            case (.mergeByPropertyStoreTrump, .all), (.mergeByPropertyStoreTrump, .some):
                let isNothing =
                    namings[place].conjunction + names.map { "t.\($0) IS NULL" }.joined(separator: " AND ")
                settings += names.map {
                    "\($0) = CASE WHEN \(isNothing) THEN EXCLUDED.\($0) ELSE t.\($0) END"
                }
                let isSomething = names.map { "EXCLUDED.\($0) IS NOT NULL" }.joined(separator: " OR ")
                differences.append("\(isNothing) AND (\(isSomething))")
            default: break
            }
        }
        if arbiter.policy == .rollback { return "DO NOTHING" }
        let version = try columns.layout.table.writtenVersion()
        settings.append("\(version) = t.\(version) + 1")
        if arbiter.mayMeetOthers, let entity = columns.layout.discriminator {
            // A row of another entity is refused by NOT NULL, rather than changed or passed over.
            settings.append("\(entity) = CASE WHEN t.\(entity) = EXCLUDED.\(entity) THEN t.\(entity) END")
            differences.append("t.\(entity) <> EXCLUDED.\(entity)")
        }
        let condition =
            arbiter.policy == .mergeByPropertyStoreTrump
            ? " WHERE " + (differences.isEmpty ? "FALSE" : differences.joined(separator: " OR ")) : ""
        return "DO UPDATE SET \(settings.joined(separator: ", "))\(condition)"
    }

    // MARK: What came of it

    /// Records the rows that were new and those that existed.
    func note(
        _ result: QueryResult, of statement: Statement, needsIDs: Bool, _ outcome: inout BatchOutcome
    ) throws {
        let new = Dictionary(zip(statement.keys, statement.numbers), uniquingKeysWith: { first, _ in first })
        var inserted: [(key: Int64, number: Int)] = []
        result.forEachRow { row in
            let key = row[0].int64
            if let number = new[key] {
                outcome.insertedCount += 1
                if needsIDs { inserted.append((key, number)) }
            } else {
                outcome.updatedCount += 1
                if needsIDs { outcome.updatedKeys.insert(key) }
            }
        }
        outcome.insertedKeys += inserted.sorted { $0.number < $1.number }.map(\.key)
    }

    /// Returns the values that identify the row; nil if one is missing, or if any rule applies.
    private func unique(_ row: [Value]) -> [Value]? {
        guard let arbiter, !keyPlaces.isEmpty else { return nil }
        let values = zip(keyPlaces, arbiter.columns).map { $1.held(row[$0]) }
        return values.contains(.null) ? nil : values
    }
}

extension BatchUpsert.Statement {
    /// Returns the row that an error of the server concerns, by the key or the unique values that it quotes.
    func row(of error: PostgresError, _ layouts: StoreLayout) -> Int? {
        guard let detail = error.detail else { return nil }
        if let key = detail.firstNumber(after: "("), let place = keys.firstIndex(of: key) {
            return numbers[numbers.startIndex + place]
        }
        guard
            let unique = error.table.flatMap(layouts.schema.table(named:))?.uniques
                .first(where: { $0.name == error.constraint }),
            let places = UniqueColumn.columns(unique, in: columns.layout)
        else { return nil }
        let indexes = places.compactMap { column in
            columns.all.firstIndex { $0.name == columns.layout.columns[column.position].name }
        }
        let found = zip(rows, numbers).first { row, _ in
            let texts = zip(indexes, places).compactMap { $1.held(row[$0]).quotedText }
            return texts.count == places.count && detail.contains(")=(\(texts.joined(separator: ", ")))")
        }
        return found?.1
    }
}

extension BatchUpsert.Statement {
    /// The values that do not fit their columns, each with its row. If none is known, it names the rows of
    /// the statement.
    ///
    /// The server does not report the row, so they are checked again.
    var refusedValues: [ValidationIssue] {
        var issues: [ValidationIssue] = []
        let layout = columns.layout
        for (row, number) in zip(rows, numbers).sorted(by: { $0.1 < $1.1 }) {
            var place = columns.all.count - columns.properties.reduce(0) { $0 + $1.columns.count }
            for property in columns.properties {
                for column in property.columns {
                    let leaf = StoredLeaf(path: property.name, column: column, value: row[place])
                    place += 1
                    guard let sentence = leaf.refusal else { continue }
                    var issue = ValidationIssue(
                        nil, layout.name, property.name, ValidationIssue.generic, sentence)
                    issue.row = number
                    issues.append(issue)
                }
            }
        }
        if issues.isEmpty, let first = numbers.min(), let last = numbers.max() {
            let place =
                first == last ? "row \(first)" : "one of the \(numbers.count) rows from \(first) to \(last)"
            issues = [
                ValidationIssue(
                    nil, layout.name, nil, ValidationIssue.generic,
                    "has a value in \(place) that does not fit its column. The column can also be one that the "
                        + "database computes from the value. Correct the value."
                )
            ]
        }
        return issues
    }
}
