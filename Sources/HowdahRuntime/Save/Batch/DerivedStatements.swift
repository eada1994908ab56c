import HowdahModel
import PQClient

/// The statements that compute a group of derived attributes again, after all other writes.
///
/// Each statement sees the data that was committed before it began. So the rows are locked first. Another
/// session that changed their members too has either committed, and is seen, or waits and computes them
/// again. Share locks prevent changes of copied values.
struct DerivedStatements {
    private let group: DerivedGroup
    private var parameters: Parameters
    /// The condition that a row with the alias t0 is concerned.
    private var condition = ""
    private let isBounded: Bool
    private let keys: [Set<Int64>]

    /// - Parameters:
    ///   - keys: The keys of the changed rows, by the steps of the group's path.
    ///   - earlier: The parameters of the statement before its own.
    init(_ group: DerivedGroup, _ keys: [Set<Int64>], after earlier: Parameters = Parameters()) {
        self.group = group
        self.keys = keys
        parameters = earlier
        isBounded = keys.dropFirst().allSatisfy(\.isEmpty)
        var sources: [String] = []
        for (step, keys) in keys.enumerated() where !keys.isEmpty {
            parameters.append(keys.sorted())
            let place = "$\(parameters.count)"
            if step == 0 {
                sources.append("SELECT pg_catalog.unnest(\(place))")
            } else {
                let way = Way(group, upTo: step, from: "f")
                sources.append(
                    "SELECT \(group.layout.table.key("f0")) FROM \(group.layout.table) f0, \(way.tables) WHERE \(way.condition) "
                        + "AND \(group.places[step].table.key("f\(step)")) = ANY(\(place))")
            }
        }
        let key = group.layout.table.key("t0")
        condition =
            isBounded
            ? "\(key) = ANY($\(parameters.count))" : "\(key) IN (\(sources.joined(separator: " UNION ")))"
        condition += familyCondition
    }

    /// The condition for a subentity. Its path may begin with an inherited relationship, which rows of other
    /// entities have too.
    private var familyCondition: String {
        guard let discriminator = group.layout.discriminator else { return "" }
        let names = group.layout.concreteStoredNames.map(SQLLiteral.string).joined(separator: ", ")
        return " AND t0.\(discriminator) IN (\(names.isEmpty ? SQLLiteral.null : names))"
    }

    /// Returns all statements in order.
    ///
    /// - Parameter registered: Returns the rows whose values the context needs. It is called only if the save
    ///   does not know the number of rows.
    func all(registered: () -> [Int64]) -> [SaveStatement] {
        var statements = [
            lock(
                "SELECT 1 FROM \(group.layout.table) t0 WHERE \(condition) ORDER BY \(group.layout.table.key("t0")) FOR NO KEY UPDATE"
            )
        ]
        if group.locksSources {
            for step in 1...group.hops.count {
                let way = Way(group, upTo: step)
                let key = way.table.key
                statements.append(
                    lock(
                        "SELECT 1 FROM \(way.table) s WHERE s.\(key.name) IN (SELECT t\(step).\(key.name) FROM "
                            + "\(group.layout.table) t0, \(way.tables) WHERE \(way.condition) AND \(condition)) "
                            + "ORDER BY s.\(key.name) FOR SHARE"))
            }
        }
        var update = update(registered)
        update.derived = (group, keys)
        statements.append(update)
        return statements
    }

    /// Returns the query for the keys of rows one step before others on the path; its parameter is the
    /// others' keys.
    ///
    /// - Parameter column: A column of the others with the keys, instead of their own; they are then locked.
    static func owners(_ group: DerivedGroup, through column: String? = nil, limit: Int) -> String {
        let way = Way(group, upTo: 1, from: "f")
        let key = group.places[1].table.key("f1")
        let selection =
            "SELECT \(group.layout.table.key("f0")) AS k FROM \(group.layout.table) f0, \(way.tables) WHERE \(way.condition) "
            + "AND \(column.map { "f1.\($0)" } ?? key) = ANY($1)"
        return column == nil
            ? selection : "SELECT DISTINCT l.k FROM (\(selection) ORDER BY \(key) FOR UPDATE OF f1) l"
    }

    /// Returns the statement that locks the rows with wrong derived attributes, and returns their keys.
    ///
    /// It is for changes that are not known row by row, such as those of a deletion in SQL with its cascades.
    static func wrongRows(_ group: DerivedGroup) -> SaveStatement {
        let all = DerivedStatements(group, [[]] + Array(repeating: [], count: group.hops.count))
        let key = group.layout.table.key("t0")
        let differences = group.members.map { "\(all.column($0)) IS DISTINCT FROM (\(all.value($0)))" }
        return SaveStatement(
            "SELECT \(key) FROM \(group.layout.table) t0 WHERE (\(differences.joined(separator: " OR ")))"
                + all.familyCondition + " ORDER BY \(key) FOR NO KEY UPDATE",
            about: .init(.select, group.layout.table.subject))
    }

    /// Returns the query for the entities and keys of the rows, as a part of a statement with parameters.
    static func rows(_ group: DerivedGroup, _ keys: [Set<Int64>], _ parameters: inout Parameters) -> String {
        let statements = DerivedStatements(group, keys, after: parameters)
        parameters = statements.parameters
        let table = group.layout.table
        let entity =
            group.layout.discriminator.map { "t0.\($0)" } ?? SQLLiteral.string(group.layout.storedName)
        return "SELECT \(entity), \(table.key("t0")) FROM \(table) t0 WHERE \(statements.condition)"
    }

    private func column(_ member: DerivedGroup.Member) -> String {
        group.layout.columns[group.layout.slots[member.slot].columns.lowerBound].name
    }

    private func lock(_ selection: String) -> SaveStatement {
        SaveStatement(
            "SELECT pg_catalog.count(*) FROM (\(selection)) l", parameters, about: StatementSubject(.select))
    }

    private func update(_ registered: () -> [Int64]) -> SaveStatement {
        let settings = group.members.map { member in
            "\(column(member)) = (\(value(member)))"
        }
        let sql =
            "UPDATE \(group.layout.table) t0 SET \(settings.joined(separator: ", ")) WHERE \(condition)"
        let subject = StatementSubject(.update, group.layout.table.subject)
        guard let readBack = ReadBack(group.layout, group.members.map(\.slot)) else {
            return SaveStatement(sql, parameters, about: subject)
        }
        let returning = "\(sql) RETURNING \(readBack.list("t0"))"
        if isBounded { return SaveStatement(returning, parameters, readBack: readBack, about: subject) }
        let keys = registered()
        if keys.isEmpty { return SaveStatement(sql, parameters, about: subject) }
        var parameters = parameters
        parameters.append(keys)
        return SaveStatement(
            "WITH u AS (\(returning)) SELECT * FROM u WHERE \(group.layout.table.key.name) = ANY($\(parameters.count))",
            parameters,
            readBack: readBack, about: subject)
    }

    private func value(_ member: DerivedGroup.Member) -> String {
        let last = group.hops.count
        let way = Way(group, upTo: last)
        return switch member.function {
        case .copy: "SELECT t\(last).\(member.column) FROM \(way.tables) WHERE \(way.condition)"
        case .count: "SELECT pg_catalog.count(*) FROM \(way.tables) WHERE \(way.condition)"
        case .sum:
            "SELECT coalesce(pg_catalog.sum(t\(last).\(member.column)), 0) FROM \(way.tables) WHERE \(way.condition)"
        }
    }
}

/// The tables on a group's path and their joins, beginning after a row with the alias t0.
private struct Way {
    private(set) var tables = ""
    private(set) var condition = ""
    /// The last table.
    let table: StoredTable

    init(_ group: DerivedGroup, upTo step: Int, from alias: String = "t") {
        var tables: [String] = []
        var conditions: [String] = []
        table = group.places[step].table
        for (index, hop) in group.hops.prefix(step).enumerated() {
            let (own, other) = ("\(alias)\(index)", "\(alias)\(index + 1)")
            let ownKey = group.places[index].table.key(own)
            let otherKey = group.places[index + 1].table.key(other)
            switch hop.storage {
            case .foreignKey(let columns): conditions.append("\(otherKey) = \(own).\(columns.column)")
            case .inverse(let columns): conditions.append("\(other).\(columns.column) = \(ownKey)")
            case .join(let columns):
                tables.append("\(columns.table) j\(other)")
                conditions.append("j\(other).\(columns.ownColumn) = \(ownKey)")
                conditions.append("\(otherKey) = j\(other).\(columns.otherColumn)")
            // The model's validation keeps transient relationships out of derivations.
            case .memory: break
            }
            tables.append("\(group.places[index + 1].table) \(other)")
        }
        self.tables = tables.joined(separator: ", ")
        condition = conditions.joined(separator: " AND ")
    }
}
