import HowdahModel
import PQClient

/// The to-one references with an inverse that a batch deletion clears, and whose rows get another version.
///
/// Foreign keys clear references too, and do not know of versions. So the statement of the deletion clears them,
/// before the foreign keys act at its end.
struct ClearedReferences {
    /// A table with rows that are deleted. The first one is the table of the request.
    private struct Source {
        let name: String
        let layout: EntityLayout
    }

    /// A cascade, which finds rows that are deleted after those of another table.
    private struct Step: Equatable {
        let from: Int
        let to: Int
        /// The query for the keys of the rows, up to the key of a deleted row.
        let selection: String
    }

    /// References from one table.
    private struct Place {
        let layout: EntityLayout
        /// The column of the versions.
        let version: String
        let references: [(columns: [String], sources: [Int])]
    }

    private var sources: [Source]
    private var steps: [Step] = []
    private var places: [Place] = []

    /// - Returns: The references; nil if the deletion clears none.
    init?(deleting layout: EntityLayout, in layouts: StoreLayout) {
        guard let table = layouts.schema.entities[layout.name]?.table else { return nil }
        sources = [Source(name: table, layout: layout)]
        let owners = Dictionary(
            layouts.entities.compactMap { entity in
                layouts.schema.entities[entity.name].map { ($0.table, layouts.entities[entity.root]) }
            }, uniquingKeysWith: { first, _ in first })
        var next = 0
        while next < sources.count {
            for other in layouts.schema.tables {
                for (to, selection) in Self.cascades(from: sources[next], by: other, owners, layouts) {
                    guard let owner = owners[to] else { continue }
                    let known = sources.indices.dropFirst().first { sources[$0].name == to }
                    let place = known ?? sources.count
                    if known == nil { sources.append(Source(name: to, layout: owner)) }
                    steps.append(Step(from: next, to: place, selection: selection))
                }
            }
            next += 1
        }
        for other in layouts.schema.tables {
            guard let owner = owners[other.name], let version = owner.table.version else { continue }
            let references = other.foreignKeys.filter { $0.onDelete == .setNull }
                .map { key in
                    (
                        columns: key.columns.map(SQLIdentifier.quoted),
                        sources: sources.indices.filter {
                            Self.leads(key, to: sources[$0], layouts, needsInverse: true)
                        }
                    )
                }
                .filter { !$0.sources.isEmpty }
            if !references.isEmpty {
                places.append(Place(layout: owner, version: version.name, references: references))
            }
        }
        if places.isEmpty { return nil }
        forgetUnusedSteps()
    }

    /// Returns the cascades from a table's rows that another table has, with the table that loses rows.
    private static func cascades(
        from source: Source, by table: StoreSchema.Table, _ owners: [String: EntityLayout],
        _ layouts: StoreLayout
    ) -> [(to: String, selection: String)] {
        let name = SQLIdentifier.quoted(layouts.schema.schemaName, table.name)
        var found: [(to: String, selection: String)] = []
        if let owner = owners[table.name] {
            for key in table.foreignKeys
            where key.onDelete == .cascade && leads(key, to: source, layouts, needsInverse: false) {
                let column = SQLIdentifier.quoted(key.columns[0])
                found.append((table.name, "\(owner.table.key("c")) FROM \(name) c WHERE c.\(column) ="))
            }
        }
        for trigger in table.triggers {
            switch trigger.duty {
            case .follow(let column, let to) where table.name == source.name:
                let column = SQLIdentifier.quoted(column)
                found.append(
                    (
                        to.table,
                        "c.\(column) FROM \(name) c WHERE c.\(column) IS NOT NULL AND \(source.layout.table.key("c")) ="
                    ))
            case .followLinks(let column, let owner, let other, let to) where owner.table == source.name:
                found.append(
                    (
                        to.table,
                        "c.\(SQLIdentifier.quoted(other)) FROM \(name) c WHERE c.\(SQLIdentifier.quoted(column)) ="
                    ))
            default: break
            }
        }
        return found
    }

    /// Returns a Boolean value that indicates whether a foreign key may refer to deleted rows of a table.
    private static func leads(
        _ key: StoreSchema.ForeignKey, to source: Source, _ layouts: StoreLayout, needsInverse: Bool
    ) -> Bool {
        guard key.referencedTable == source.name, let origin = layouts.layout(named: key.origin.entity),
            let slot = key.origin.properties.first.flatMap({ origin.slotsByName[$0] }),
            let relationship = origin.slots[slot].relationship
        else { return false }
        if needsInverse, relationship.inverse == nil { return false }
        return !Set(layouts.entities[relationship.destination].family).isDisjoint(with: source.layout.family)
    }

    /// Removes cascades to tables without such references.
    private mutating func forgetUnusedSteps() {
        var used = Set(places.flatMap { $0.references.flatMap(\.sources) })
        while true {
            let more = Set(steps.filter { used.contains($0.to) }.map(\.from)).subtracting(used)
            if more.isEmpty { break }
            used.formUnion(more)
        }
        steps.removeAll { !used.contains($0.to) }
    }

    // MARK: The statement

    /// Returns the deletion with the references that it clears.
    ///
    /// - Parameters:
    ///   - deletion: The DELETE, which returns the keys of its rows first.
    ///   - columnCount: The number of columns that it returns.
    ///   - result: The result of the statement.
    func statement(_ deletion: String, columnCount: Int, returning result: Result) -> String {
        var parts = ["deleted(id) AS (\(deletion))"]
        if !steps.isEmpty {
            let found = steps.map { "SELECT \($0.to), \($0.selection) g.k AND g.t = \($0.from)" }
            parts.append(
                "gone(t, k) AS (SELECT 0, d.id::pg_catalog.int8 FROM deleted d UNION SELECT n.t, n.k::pg_catalog.int8 "
                    + "FROM gone g CROSS JOIN LATERAL (\(found.joined(separator: " UNION ALL "))) n(t, k))")
        }
        for (number, place) in places.enumerated() {
            parts += place.references.indices.map {
                "\(name(number, $0)) AS MATERIALIZED (\(lock(place, $0)))"
            }
            parts.append("cleared\(number) AS (\(update(place, number, returnsRows: result == .allRows)))")
        }
        let select =
            switch result {
            case .count: "SELECT pg_catalog.count(*) FROM deleted"
            case .rows: "SELECT d.* FROM deleted d"
            case .allRows: Self.union(places, columnCount)
            }
        return "WITH \(steps.isEmpty ? "" : "RECURSIVE ")\(parts.joined(separator: ", ")) \(select)"
    }

    /// The result of the statement.
    enum Result {
        /// The number of deleted rows.
        case count
        /// The deleted rows.
        case rows
        /// The deleted rows and those that lost a destination.
        case allRows
    }

    private func name(_ place: Int, _ reference: Int) -> String { "found\(place)_\(reference)" }

    /// Finds and locks the rows with a reference to a deleted row, in the order of their keys.
    private func lock(_ place: Place, _ index: Int) -> String {
        let (columns, sources) = place.references[index]
        let (table, key) = (place.layout.table, place.layout.table.key("r"))
        // Rows that go too are not written: the statement cannot write a row twice, and triggers follow their columns.
        let same = self.sources.indices.filter { self.sources[$0].layout.table == table }
        let gone: String
        var others = ""
        if steps.isEmpty {
            gone = "deleted d ON r.\(columns[0]) = d.id"
            if !same.isEmpty { others = "SELECT FROM deleted x WHERE x.id = \(key)" }
        } else {
            gone = "gone g ON g.t IN (\(sources.list)) AND r.\(columns[0]) = g.k"
            if !same.isEmpty { others = "SELECT FROM gone x WHERE x.t IN (\(same.list)) AND x.k = \(key)" }
        }
        if !others.isEmpty { others = " WHERE NOT EXISTS (\(others))" }
        return
            "SELECT \(key) AS k FROM \(table) r JOIN \(gone)\(others) ORDER BY \(key) FOR NO KEY UPDATE OF r"
    }

    private func update(_ place: Place, _ number: Int, returnsRows: Bool) -> String {
        let (table, key) = (place.layout.table, place.layout.table.key("r"))
        let version = place.version
        let isAlone = place.references.count == 1
        var settings: [String] = []
        // Another program's foreign key may do something else.
        if table.existing == nil {
            for (index, reference) in place.references.enumerated() {
                settings += reference.columns.map { column in
                    isAlone
                        ? "\(column) = NULL"
                        : "\(column) = CASE WHEN w.c\(index) THEN NULL ELSE r.\(column) END"
                }
            }
        }
        settings.append("\(version) = r.\(version) + 1")
        let rows: String
        if isAlone {
            rows = name(number, 0)
        } else {
            let flags = place.references.indices.map { "pg_catalog.bool_or(f.c = \($0)) AS c\($0)" }
            let found = place.references.indices.map { "SELECT k, \($0) AS c FROM \(name(number, $0))" }
            rows =
                "(SELECT f.k, \(flags.joined(separator: ", ")) FROM (\(found.joined(separator: " UNION ALL "))) f "
                + "GROUP BY f.k)"
        }
        let entity = place.layout.discriminator.map { "r.\($0)" } ?? "NULL::pg_catalog.text"
        return "UPDATE \(table) r SET \(settings.joined(separator: ", ")) FROM \(rows) w WHERE \(key) = w.k"
            + (returnsRows ? " RETURNING \(key) AS id, \(entity) AS entity" : "")
    }

    private static func union(_ places: [Place], _ columnCount: Int) -> String {
        let nulls = Array(repeating: ", NULL", count: columnCount - 1).joined()
        return "SELECT d.*, 0, NULL::pg_catalog.text FROM deleted d"
            + places.indices.map { " UNION ALL SELECT c.id\(nulls), \($0 + 1), c.entity FROM cleared\($0) c" }
            .joined()
    }

    // MARK: The result

    /// Returns the rows of a statement that returns all of them.
    func rows(_ result: QueryResult, columnCount: Int, of layout: EntityLayout) -> (
        deleted: BatchOutcome.Rows, cleared: [BatchOutcome.Rows]
    ) {
        func empty(_ layout: EntityLayout) -> BatchOutcome.Rows {
            .init(layout: layout, keys: [], names: layout.discriminator == nil ? nil : [])
        }
        var deleted = empty(layout)
        var cleared = places.map { empty($0.layout) }
        result.forEachRow { row in
            let place = Int(row[columnCount].int64)
            if place == 0 {
                deleted.keys.append(row[0].int64)
                deleted.names?.append(row[1].string())
            } else {
                cleared[place - 1].keys.append(row[0].int64)
                cleared[place - 1].names?.append(row[columnCount + 1].string())
            }
        }
        return (deleted, cleared.filter { !$0.keys.isEmpty })
    }
}

extension [Int] {
    /// The numbers as a list in SQL.
    fileprivate var list: String { map(String.init).joined(separator: ", ") }
}
