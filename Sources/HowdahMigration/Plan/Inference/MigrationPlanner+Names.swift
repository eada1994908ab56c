internal import HowdahModel
internal import HowdahSchema
internal import PQClient

extension MigrationPlanner {
    /// Renames tables and columns that go on under another name, and moves those aside whose names others need.
    mutating func moveNames() {
        moveTables()
        for flow in orderedFlows where flow.old != nil { moveColumns(of: flow) }
    }

    private mutating func moveTables() {
        var moves: [Rename] = []
        for table in endingTables where defers || newNames.contains(table.name) {
            let aside = places.aside()
            moves.append(Rename(from: table.name, to: aside, reason: "\(table.name) is removed"))
            places.tables[table.name] = aside
        }
        for flow in orderedFlows {
            guard let old = flow.old else { continue }
            places.tables[old.name] = flow.new.name
            if old.name != flow.new.name {
                moves.append(
                    Rename(from: old.name, to: flow.new.name, reason: "\(old.name) → \(flow.new.name)"))
            }
        }
        for rename in Rename.ordered(moves, &places) {
            let table = SQLIdentifier.quoted(namespace, rename.from)
            let origin = rename.origin ?? rename.from
            addStep(
                .rename,
                MigrationStep(
                    "table \(rename.reason)", on: [origin],
                    ["ALTER TABLE \(table) RENAME TO \(quoted(rename.to))"], lock: .accessExclusive))
        }
    }

    private mutating func moveColumns(of flow: TableFlow) {
        guard let old = flow.old else { return }
        var moves: [Rename] = []
        let wanted = Set(flow.new.columns.map(\.name))
        for column in old.columns {
            if let name = flow.kept.first(where: { $0.value == column.name })?.key {
                places.columns[old.name, default: [:]][column.name] = name
                if name != column.name {
                    moves.append(Rename(from: column.name, to: name, reason: "\(column.name) → \(name)"))
                }
            } else if isDroppedEarly(column, of: flow) {
                continue
            } else if defers || wanted.contains(column.name) {
                let aside = places.aside()
                places.columns[old.name, default: [:]][column.name] = aside
                moves.append(Rename(from: column.name, to: aside, reason: "\(column.name) is removed"))
                if defers || flow.movesRows, !column.isNullable { loosen(aside, column.name, flow) }
            } else if flow.movesRows, !column.isNullable {
                // Rows of other tables come in without a value of it.
                loosen(column.name, column.name, flow)
            }
        }
        let ordered = Rename.ordered(moves, &places)
        for rename in ordered {
            add(
                .rename, "column \(flow.new.name).\(rename.reason)", on: [flow.new.name],
                [
                    "ALTER TABLE \(table(flow)) RENAME COLUMN \(quoted(rename.from)) TO \(quoted(rename.to))"
                ])
        }
    }
    /// Whether a generated column goes before anything else: the server alters no type that one depends on.
    func isDroppedEarly(_ column: StoreSchema.Column, of flow: TableFlow) -> Bool {
        guard let source = column.generation?.source else { return false }
        return flow.kept.contains { $0.value == source && flow.converted.contains($0.key) }
    }
}

/// A rename of one of several things that share a namespace.
struct Rename {
    let from: String
    let to: String
    let reason: String
    /// What it was called at first, where it is renamed twice.
    var origin: String?

    /// An order in which none takes a name that another one still has; a cycle goes through a third name.
    static func ordered(_ renames: [Rename], _ places: inout PhysicalNames) -> [Rename] {
        var result: [Rename] = []
        var open = renames.sorted { $0.from < $1.from }
        while !open.isEmpty {
            let taken = Set(open.map(\.from))
            if let next = open.firstIndex(where: { !taken.contains($0.to) }) {
                result.append(open.remove(at: next))
                continue
            }
            let first = open.removeFirst()
            let aside = places.aside()
            result.append(Rename(from: first.from, to: aside, reason: first.reason, origin: first.from))
            open.append(Rename(from: aside, to: first.to, reason: first.reason, origin: first.from))
        }
        return result
    }
}
