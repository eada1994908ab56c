import HowdahModel
import HowdahSchema
import HowdahTesting
import PQClient
import TestSupport

@testable import HowdahRuntime

/// A row of history, as plain SQL reads it.
struct HistoryRow: Hashable, CustomStringConvertible {
    let number: Int64
    let part: Int
    let origin: Int
    let entity: String
    /// 0 for insertions, 1 for updates, 2 for deletions.
    let kind: Int
    /// The changed properties, sorted; nil if any may have changed.
    let properties: [String]?
    let ids: [Int64]

    var description: String {
        "\(["insert", "update", "delete"][kind]) \(entity) \(ids) \(properties.map { $0.joined(separator: ",") } ?? "*")"
    }
}

extension PlainSQL {
    /// The rows of history after a number, in their order.
    func history(after number: Int64 = 0) throws -> [HistoryRow] {
        try rows(
            """
            SELECT number::text, part::text, origin::text, entity, kind::text,
                (SELECT string_agg(p, ',' ORDER BY p COLLATE "C") FROM unnest(properties) p), properties IS NULL || '',
                array_to_string(ids, ',')
            FROM _howdah_history h WHERE h.number > \(number) ORDER BY h.number, h.part
            """
        ).map { row in
            func number(_ column: Int) -> Int { Int(row[column] ?? "") ?? 0 }
            return HistoryRow(
                number: Int64(number(0)), part: number(1), origin: number(2), entity: row[3] ?? "",
                kind: number(4),
                properties: row[6] == "true" ? nil : (row[5] ?? "").split(separator: ",").map(String.init),
                ids: (row[7] ?? "").split(separator: ",").compactMap { Int64($0) })
        }
    }
}

/// Runs `body` with an open store that has history, and its database for plain SQL.
nonisolated(nonsending)
    func withHistory<T>(
        _ model: ManagedObjectModel, marksSaves: Bool = false, options: StoreOptions = StoreOptions(),
        _ body: (PersistentContainer, PlainSQL) async throws -> T
    ) async throws -> T
{
    var options = options
    // Tests count statements.
    options.keepsHistory = false
    return try await withTestDatabase(for: model, options: options) { [options] database in
        let sql = PlainSQL(url: database.url)
        let tables = HistoryTables(in: "public")
        try sql.script((tables.creation + tables.rows(isStarted: !marksSaves)).joined(separator: ";\n"))
        let container = try await PersistentContainer.open(database.url, model: model, options: options)
        return try await container.closing { try await body($0, sql) }
    }
}

/// A copy of a store's tables to which the history is applied, by plain SQL; version columns are left out.
struct HistoryReplay {
    private let sql: PlainSQL
    private let schema: StoreSchema
    private var last: Int64 = 0

    init(_ model: ManagedObjectModel, _ sql: PlainSQL) throws {
        self.sql = sql
        schema = try StoreSchema(model, schemaName: "public")
        last = try sql.history().last?.number ?? 0
        try sql.script(
            "CREATE SCHEMA past;\n"
                + tables.map { "CREATE TABLE past.\(quoted($0)) AS TABLE public.\(quoted($0))" }.joined(
                    separator: ";\n"))
    }

    private var tables: [String] { schema.tables.map(\.name) }

    private func quoted(_ name: String) -> String { SQLIdentifier.quoted(name) }

    /// Applies the history since the last call, and returns the differences from the present rows.
    mutating func differences() throws -> [String] {
        let rows = try sql.history(after: last)
        last = rows.last?.number ?? last
        for (one, next) in zip(rows, rows.dropFirst())
        where one.number == next.number && one.part >= next.part {
            return ["parts of \(one.number) are \(one.part), \(next.part)"]
        }
        let unreported = try unreportedEnds(rows)
        let text = try rows.flatMap(statements).joined(separator: ";\n")
        if !text.isEmpty { try sql.script(text) }
        return unreported
            + (try tables.flatMap { table -> [String] in
                let versions = Set(
                    schema.entities.values.filter { $0.table == table }.compactMap(\.versionColumn))
                let columns = (schema.table(named: table)?.columns ?? []).map(\.name).filter {
                    !versions.contains($0)
                }
                .map(quoted).joined(separator: ", ")
                func only(_ one: String, _ other: String) throws -> [String] {
                    try sql.rows(
                        "SELECT r::text FROM (SELECT \(columns) FROM \(one).\(quoted(table)) EXCEPT ALL "
                            + "SELECT \(columns) FROM \(other).\(quoted(table))) r"
                    ).map { "\(one).\(table) \($0[0] ?? "")" }
                }
                return try only("past", "public") + only("public", "past")
            })
    }

    /// Returns the objects whose relationships have other members, or another order, and whose history does not say so.
    private func unreportedEnds(_ rows: [HistoryRow]) throws -> [String] {
        var reported: [String: [String: Set<Int64>]] = [:]
        for row in rows {
            for name in row.kind == 1 ? row.properties ?? ["*"] : ["*"] {
                reported[row.entity, default: [:]][name, default: []].formUnion(row.ids)
            }
        }
        return try schema.entities.values.sorted { $0.storedName < $1.storedName }.flatMap { entity in
            let own = reported[entity.storedName] ?? [:]
            return try entity.properties.flatMap { property -> [String] in
                guard let members = members(property) else { return [] }
                let known = own["*", default: []].union(own[property.name] ?? [])
                return try changedOwners(of: members, entity).filter { !known.contains($0) }
                    .map { "\(entity.entityName) \($0) has other \(property.name)" }
            }
        }
    }

    /// Returns the query for the ordered members of a relationship of the row `o` in a schema; nil for others.
    private func members(_ property: PropertyStorage) -> ((String) -> String)? {
        func query(_ table: String, _ owner: String, _ member: String, _ order: String?) -> (String) -> String
        {
            { schema in
                "SELECT array_agg(m.\(quoted(member)) ORDER BY \(order.map { "m.\(quoted($0)), " } ?? "")m.\(quoted(member))) "
                    + "FROM \(schema).\(quoted(table)) m WHERE m.\(quoted(owner)) = o.key"
            }
        }
        switch property {
        case .inverse(let inverse):
            guard let member = schema.entities.values.first(where: { $0.table == inverse.table }) else {
                return nil
            }
            return query(inverse.table, inverse.column, member.keyColumn, inverse.orderColumn)
        case .join(let join):
            return query(join.joinTable, join.ownColumn, join.otherColumn, join.ownOrderColumn)
        case .attribute, .toOne, .transient: return nil
        }
    }

    /// Returns the keys of objects that exist before and after, with other members.
    private func changedOwners(of members: (String) -> String, _ entity: EntityStorage) throws -> [Int64] {
        let (table, key) = (quoted(entity.table), quoted(entity.keyColumn))
        func owners(_ schema: String) -> String {
            let condition =
                entity.discriminator.map { " WHERE \(quoted($0)) = '\(entity.storedName)'" } ?? ""
            return
                "SELECT o.key, (\(members(schema))) AS members FROM (SELECT \(key) AS key FROM \(schema).\(table)"
                + "\(condition)) o"
        }
        return try sql.rows(
            "SELECT p.key::text FROM (\(owners("past"))) p JOIN (\(owners("public"))) n ON n.key = p.key "
                + "WHERE p.members IS DISTINCT FROM n.members"
        ).compactMap { $0[0].flatMap { Int64($0) } }
    }

    private func statements(_ row: HistoryRow) throws -> [String] {
        guard let name = schema.entityName(forStoredName: row.entity), let entity = schema.entities[name]
        else {
            return ["SELECT 1/0 AS \"unknown entity \(row.entity)\""]
        }
        let ids = "ARRAY[\(row.ids.map(String.init).joined(separator: ","))]::bigint[]"
        let (table, key) = (quoted(entity.table), quoted(entity.keyColumn))
        let removal = "DELETE FROM past.\(table) WHERE \(key) = ANY(\(ids))"
        let insertion = "INSERT INTO past.\(table) SELECT * FROM public.\(table) WHERE \(key) = ANY(\(ids))"
        switch row.kind {
        case 0:
            return [removal, insertion] + entity.properties.map(\.name).flatMap { update(entity, $0, ids) }
        case 2:
            let links = schema.entities.values.filter { $0.table == entity.table }.flatMap { entity in
                entity.properties.compactMap { property in
                    if case .join(let join) = property {
                        "DELETE FROM past.\(quoted(join.joinTable)) WHERE \(quoted(join.ownColumn)) = ANY(\(ids))"
                    } else {
                        nil
                    }
                }
            }
            return [removal] + links
        default:
            guard let properties = row.properties else {
                let names = entity.properties.map(\.name)
                return [removal, insertion] + names.flatMap { update(entity, $0, ids) }
            }
            return properties.flatMap { update(entity, $0, ids) }
        }
    }

    private func update(_ entity: EntityStorage, _ name: String, _ ids: String) -> [String] {
        switch entity.property(named: name)?.mapping {
        case .attribute(let attribute): return copy(attribute.columns.map(\.name), entity, ids)
        case .toOne(let toOne):
            let order = schema.entities.values.flatMap(\.properties).compactMap { property -> String? in
                guard case .inverse(let inverse) = property, inverse.table == entity.table,
                    inverse.column == toOne.column
                else { return nil }
                return inverse.orderColumn
            }.first
            return copy([toOne.column] + [toOne.entityColumn, order].compactMap(\.self), entity, ids)
        case .inverse(let inverse):
            guard let order = inverse.orderColumn,
                let member = schema.entities.values.first(where: { $0.table == inverse.table })
            else { return [] }
            let (table, key) = (quoted(inverse.table), quoted(member.keyColumn))
            return [
                "UPDATE past.\(table) p SET \(quoted(order)) = c.\(quoted(order)) FROM public.\(table) c "
                    + "WHERE p.\(key) = c.\(key) AND c.\(quoted(inverse.column)) = ANY(\(ids))"
            ]
        case .join(let join):
            let (table, own) = (quoted(join.joinTable), quoted(join.ownColumn))
            return [
                "DELETE FROM past.\(table) WHERE \(own) = ANY(\(ids))",
                "INSERT INTO past.\(table) SELECT * FROM public.\(table) WHERE \(own) = ANY(\(ids))",
            ]
        case .transient: return []
        case nil: return ["SELECT 1/0 AS \"unknown property \(name)\""]
        }
    }

    private func copy(_ columns: [String], _ entity: EntityStorage, _ ids: String) -> [String] {
        if columns.isEmpty { return [] }
        let (table, key) = (quoted(entity.table), quoted(entity.keyColumn))
        let settings = columns.map { "\(quoted($0)) = c.\(quoted($0))" }.joined(separator: ", ")
        return [
            "UPDATE past.\(table) p SET \(settings) FROM public.\(table) c WHERE p.\(key) = c.\(key) "
                + "AND p.\(key) = ANY(\(ids))"
        ]
    }
}
