import HowdahModel
import PQClient

/// The rows that foreign keys and triggers delete with those of a batch deletion.
struct DeletionCascade {
    /// A table with rows that are deleted. The first one is the table of the request.
    struct Source {
        let name: String
        let layout: EntityLayout
    }

    /// A cascade, which finds rows that are deleted after those of another table.
    private struct Step: Equatable {
        let from: StoredTable
        let to: StoredTable
        /// The condition on a row `c`, up to the keys of deleted rows.
        let condition: String
        /// The text after these keys.
        var end = ""

        /// Returns the statement that locks the rows, and returns their keys.
        func statement(_ keys: [Int64]) -> SaveStatement {
            var parameters = Parameters()
            parameters.append(keys)
            let key = to.key("c")
            return SaveStatement(
                "SELECT \(key) FROM \(to) c WHERE \(condition) = ANY($1)\(end) ORDER BY \(key) FOR UPDATE OF c",
                parameters, need: .init(to, .update, "locks the rows that it deletes"),
                about: .init(.select, to.subject))
        }
    }

    private(set) var sources: [Source]
    private var steps: [Step] = []
    /// The roots of the hierarchies by the names of their tables.
    let owners: [String: EntityLayout]

    init?(deleting layout: EntityLayout, in layouts: StoreLayout) {
        guard let table = layouts.schema.entities[layout.name]?.table else { return nil }
        sources = [Source(name: table, layout: layout)]
        owners = Dictionary(
            layouts.entities.compactMap { entity in
                layouts.schema.entities[entity.name].map { ($0.table, layouts.entities[entity.root]) }
            }, uniquingKeysWith: { first, _ in first })
        var next = 0
        while next < sources.count {
            for other in layouts.schema.tables {
                for (to, step) in steps(from: sources[next], by: other, layouts) {
                    if !steps.contains(step) { steps.append(step) }
                    if sources.dropFirst().contains(where: { $0.name == to }) { continue }
                    if let owner = owners[to] { sources.append(Source(name: to, layout: owner)) }
                }
            }
            next += 1
        }
    }

    /// Returns the cascades from a table's rows that another table has, with the table that loses rows.
    private func steps(
        from source: Source, by table: StoreSchema.Table, _ layouts: StoreLayout
    ) -> [(to: String, step: Step)] {
        let from = source.layout.table
        var found: [(to: String, step: Step)] = []
        if let owner = owners[table.name] {
            for key in table.foreignKeys
            where key.onDelete == .cascade && layouts.refers(key, to: source, needsInverse: false) {
                let column = "c.\(SQLIdentifier.quoted(key.columns[0]))"
                found.append((table.name, Step(from: from, to: owner.table, condition: column)))
            }
        }
        for trigger in table.triggers {
            let (to, column, key): (String, String, String)
            switch trigger.duty {
            case .follow(let follower, let place) where table.name == source.name:
                (to, column, key) = (place.table, SQLIdentifier.quoted(follower), from.key("o"))
            case .followLinks(let own, let owner, let other, let place) where owner.table == source.name:
                (to, column, key) = (
                    place.table, SQLIdentifier.quoted(other), "o.\(SQLIdentifier.quoted(own))"
                )
            default: continue
            }
            guard let owner = owners[to] else { continue }
            let rows = SQLIdentifier.quoted(layouts.schema.schemaName, table.name)
            let condition =
                "\(owner.table.key("c")) IN (SELECT o.\(column) FROM \(rows) o WHERE \(key)"
            found.append((to, Step(from: from, to: owner.table, condition: condition, end: ")")))
        }
        return found
    }

    /// Returns the cascade without the steps that reach none of these tables, directly or through others.
    func leading(to tables: Set<StoredTable>) -> DeletionCascade {
        var used = tables
        while true {
            let more = Set(steps.filter { used.contains($0.to) }.map(\.from)).subtracting(used)
            if more.isEmpty { break }
            used.formUnion(more)
        }
        var cascade = self
        cascade.steps.removeAll { !used.contains($0.to) }
        return cascade
    }

    /// Locks the rows that are deleted with locked rows, level by level.
    ///
    /// Each level is found in a later snapshot than the locks of the level above, so that no row is added unseen.
    ///
    /// - Returns: The keys of all rows by table.
    func lock(
        _ keys: [Int64], of table: StoredTable, in transaction: SaveTransaction
    ) throws -> [StoredTable: [Int64]] {
        if steps.isEmpty { return [table: keys] }
        var found = [table: Set(keys)]
        var wave = [table: keys]
        while true {
            let due = steps.filter { wave[$0.from]?.isEmpty == false }
            if due.isEmpty { return found.mapValues { $0.sorted() } }
            let results = try transaction.run(due.map { $0.statement(wave[$0.from] ?? []) })
            wave = [:]
            for (step, result) in zip(due, results) {
                let new = result.map { $0[0].int64 }
                    .filter { found[step.to, default: []].insert($0).inserted }
                wave[step.to, default: []] += new
            }
        }
    }
}
