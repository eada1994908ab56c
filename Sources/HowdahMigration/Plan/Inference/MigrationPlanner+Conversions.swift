internal import HowdahModel
internal import HowdahSchema
internal import PQClient

extension MigrationPlanner {
    /// The values of an old column, and what their new type does not have.
    private struct Conversion: Hashable {
        let table: String
        let column: String
        let losing: String
        let remedy: String
    }

    /// Looks for values that their new type does not have, while all names are the old ones.
    ///
    /// Only in rows of entities that have the property afterwards. Values of other entities are deleted.
    mutating func lookAtConversions() {
        for flow in orderedFlows where !flow.isLinks {
            for column in flow.new.columns where column.generation == nil {
                var members: [Conversion: Set<String>] = [:]
                for (entity, content) in newUses.contents(of: column.name, in: flow.new.name) {
                    guard let source = columnSource(content, entity), let member = concreteSource(of: entity),
                        let conversion = source.conversion,
                        let losing = conversion.losing("t.\(quoted(source.column))")
                    else { continue }
                    members[
                        Conversion(
                            table: source.table, column: source.column, losing: losing,
                            remedy: conversion.remedy), default: []
                    ].insert(member.name)
                }
                for (conversion, members) in members.sorted(by: { $0.key.column < $1.key.column }) {
                    look(conversion, in: members.sorted(), flow, origin(of: column, in: flow))
                }
            }
        }
    }

    private mutating func look(
        _ conversion: Conversion, in members: [String], _ flow: TableFlow, _ place: String
    ) {
        guard let table = old.table(named: conversion.table), let entity = members.first else { return }
        let holders = pairing.old.entities.filter {
            !$0.isAbstract && old.entities[$0.name]?.table == conversion.table
                && oldUses.contents(of: conversion.column, in: conversion.table)[$0.name] != nil
        }
        var rows = ""
        if Set(holders.map(\.name)) != Set(members), let discriminator = old.entities[entity]?.discriminator {
            let names = members.compactMap { pairing.old[$0]?.storedName }.sorted()
            rows = "t.\(quoted(discriminator)) IN (\(Self.list(names))) AND "
        }
        let key = "t.\(quoted(table.primaryKey[0]))"
        let name = entityName(of: members.compactMap { pairing.old[$0] }, old.entities[entity]?.discriminator)
        add(
            .looks, "every value of \(place) fits its new type", on: [flow.new.name],
            [
                "SELECT \(key), pg_catalog.count(*) OVER ()\(name) FROM "
                    + "\(SQLIdentifier.quoted(namespace, table.name)) AS t WHERE \(rows)\(conversion.losing) "
                    + "ORDER BY 1 LIMIT \(Self.exampleCount)"
            ], lock: .accessShare,
            check: MigrationStep.Check(
                entityName: entity, fault: "the new type of \(place) cannot hold all values",
                remedy: conversion.remedy))
    }

    /// The third column of a look at rows of several entities, with a comma before it: the name of the row's entity. Empty
    /// if there is one entity only.
    func entityName(of members: [EntityDescription], _ discriminator: String?) -> String {
        guard members.count > 1, let discriminator else { return "" }
        let column = "t.\(quoted(discriminator))"
        let renamed = members.filter { $0.storedName != $0.name }.sorted { $0.name < $1.name }
        if renamed.isEmpty { return ", \(column)" }
        let cases = renamed.map {
            "WHEN \(SQLLiteral.string($0.storedName)) THEN \(SQLLiteral.string($0.name))"
        }.joined(separator: " ")
        return ", CASE \(column) \(cases) ELSE \(column) END"
    }
}
