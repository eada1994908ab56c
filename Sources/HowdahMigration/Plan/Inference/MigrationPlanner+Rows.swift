internal import HowdahModel
internal import HowdahSchema
internal import PQClient

extension MigrationPlanner {
    /// Copies rows that move to another table, with everything that was in their row.
    mutating func copy(_ move: RowMove) {
        guard let flow = flows[move.to], let from = old.entities[move.source],
            let to = new.entities[move.entity], let stored = pairing.new[move.entity]?.storedName
        else { return }
        var targets = [to.keyColumn]
        var values = [places.column(from.keyColumn, of: move.from, alias: "s")]
        if let version = to.versionColumn {
            targets.append(version)
            values.append(
                from.versionColumn.map { places.column($0, of: move.from, alias: "s") }
                    ?? SQLLiteral.integer(1))
        }
        if let discriminator = to.discriminator {
            targets.append(discriminator)
            values.append(SQLLiteral.string(stored))
        }
        for column in flow.new.columns where column.generation == nil && !targets.contains(column.name) {
            let contents = newUses.contents(of: column.name, in: move.to)
            guard let content = contents[move.entity] else {
                // The default is for the entities that have the column.
                let before = flow.kept[column.name].flatMap { flow.old?.column($0) }
                if !contents.isEmpty,
                    before?.defaultValue != nil || flow.addedWithDefault.contains(column.name)
                {
                    targets.append(column.name)
                    values.append("NULL")
                }
                continue
            }
            guard let source = columnSource(content, move.entity) else { continue }
            let value = places.column(source.column, of: source.table, alias: "s")
            targets.append(column.name)
            values.append(source.conversion?.sql(value, to: column.type) ?? value)
        }
        let rows = oldFilter([move.source], in: move.from, alias: "s").map { " WHERE \($0)" } ?? ""
        add(
            .copyRows, "\(move.entity) moves from \(move.from) to \(move.to)", on: [move.from, move.to],
            [
                "INSERT INTO \(table(flow)) (\(targets.map(quoted).joined(separator: ", "))) "
                    + "SELECT \(values.joined(separator: ", ")) FROM \(places.table(move.from)) AS s\(rows)"
            ], lock: .rowExclusive)
        if flows.values.contains(where: { $0.old?.name == move.from }) {
            add(
                .removeRows, "\(move.entity) moved from \(move.from) to \(move.to)", on: [move.from],
                [
                    "DELETE FROM \(places.table(move.from)) AS s USING \(table(flow)) AS t "
                        + "WHERE \(places.column(from.keyColumn, of: move.from, alias: "s")) = "
                        + "t.\(quoted(to.keyColumn))"
                ], lock: .rowExclusive, departure: move.from)
        }
    }

    /// What holds for rows of these entities of the old model only; nil where it holds for all rows.
    func oldFilter(_ entities: [String], in table: String, alias: String) -> String? {
        guard let mapping = entities.first.flatMap({ old.entities[$0] }),
            let discriminator = mapping.discriminator
        else { return nil }
        let names = entities.compactMap { pairing.old[$0]?.storedName }.sorted()
        return "\(places.column(discriminator, of: table, alias: alias)) IN (\(Self.list(names)))"
    }

    /// Entities whose rows carry another name from now on.
    var renamedStoredNames: [(entity: String, old: String, new: String)] {
        pairing.new.entities.sorted { $0.name < $1.name }.compactMap { entity in
            guard !entity.isAbstract, let source = concreteSource(of: entity.name),
                source.storedName != entity.storedName
            else { return nil }
            return (entity.name, source.storedName, entity.storedName)
        }
    }

    mutating func renameStoredNames() {
        var byTable: [String: [(entity: String, old: String, new: String)]] = [:]
        for rename in renamedStoredNames {
            guard let table = new.entities[rename.entity]?.table, let flow = flows[table],
                flow.kept[StoreSchema.entityColumn] != nil,
                concreteSource(of: rename.entity).flatMap({ old.entities[$0.name]?.table }) == flow.old?.name
            else { continue }
            byTable[table, default: []].append(rename)
        }
        for (name, renames) in byTable.sorted(by: { $0.key < $1.key }) {
            guard let flow = flows[name] else { continue }
            let column = quoted(StoreSchema.entityColumn)
            let cases = renames.map {
                "WHEN \(SQLLiteral.string($0.old)) THEN \(SQLLiteral.string($0.new))"
            }.joined(separator: " ")
            add(
                .storedNames, "stored name of " + renames.map(\.entity).joined(separator: ", "), on: [name],
                [
                    "UPDATE \(table(flow)) AS t SET \(column) = CASE t.\(column) \(cases) END "
                        + "WHERE t.\(column) IN (\(Self.list(renames.map(\.old))))"
                ], lock: .rowExclusive)
        }
    }

    /// Deletes objects of entities that are no more, and what refers to them.
    mutating func removeRows() {
        for entity in endingEntities {
            guard let mapping = old.entities[entity.name] else { continue }
            if let target = pairing.target(ofEntity: entity.name) {
                let rows =
                    oldFilter([entity.name], in: mapping.table, alias: "s").map { " WHERE \($0)" } ?? ""
                add(
                    .copyRows, "\(target) is abstract", on: [mapping.table],
                    [
                        "SELECT \(places.column(mapping.keyColumn, of: mapping.table, alias: "s")), "
                            + "pg_catalog.count(*) OVER () FROM \(places.table(mapping.table)) AS s\(rows) "
                            + "ORDER BY 1 LIMIT \(Self.exampleCount)"
                    ], lock: .accessShare,
                    check: MigrationStep.Check(
                        entityName: entity.name, fault: "\(target) is abstract now, but has objects",
                        remedy:
                            "Change these objects to objects of another entity in an earlier stage, or delete them"
                    ))
            }
            guard flows.values.contains(where: { $0.old?.name == mapping.table }),
                let rows = oldFilter([entity.name], in: mapping.table, alias: "s")
            else { continue }
            add(
                .removeRows, "\(entity.name) removed", on: [mapping.table],
                ["DELETE FROM \(places.table(mapping.table)) AS s WHERE \(rows)"], lock: .rowExclusive)
        }
        removeReferences()
    }

    /// References that were kept, to objects that are no more.
    private mutating func removeReferences() {
        for reference in keptReferences where losesMembers(reference.destination, reference.oldDestination) {
            guard let flow = flows[reference.table], let destination = new.entities[reference.destination]
            else { continue }
            let target = SQLIdentifier.quoted(namespace, destination.table)
            let names = destination.discriminator == nil ? [] : destination.concreteStoredNames
            // Rows that are about to leave the table may be all that it has.
            let isEmpty = pairing.new.descendants(of: reference.destination).allSatisfy(\.isAbstract)
            let fits =
                isEmpty
                ? "FALSE"
                : "d.\(quoted(destination.keyColumn)) = t.\(quoted(reference.column))"
                    + (names.isEmpty
                        ? "" : " AND d.\(quoted(StoreSchema.entityColumn)) IN (\(Self.list(names)))")
            let dangling =
                "t.\(quoted(reference.column)) IS NOT NULL AND NOT EXISTS (SELECT FROM \(target) AS d WHERE \(fits))"
            for outside in otherTables(than: reference) {
                check(
                    .references, "members of \(reference.place) stay", flow,
                    where: "\(dangling) AND EXISTS (SELECT FROM \(outside.table) AS o "
                        + "WHERE o.\(quoted(outside.key)) = t.\(quoted(reference.column))\(outside.condition))",
                    entity: reference.entity,
                    fault: "\(reference.place) refers to objects that are no longer valid destinations",
                    remedy: "Set \(reference.place) to another object or to nil in an earlier stage")
            }
            if !flow.isLinks { relax(reference, flow) }
            let statement =
                flow.isLinks
                ? "DELETE FROM \(table(flow)) AS t WHERE \(dangling)"
                : "UPDATE \(table(flow)) AS t SET "
                    + ([reference.column] + reference.companions).map { "\(quoted($0)) = NULL" }
                    .joined(separator: ", ") + " WHERE \(dangling)"
            add(
                .removeRows, "\(reference.place) referred to removed objects", on: [reference.table],
                [statement],
                lock: .rowExclusive)
        }
    }

    /// A required reference can be NULL until it is looked at.
    private mutating func relax(_ reference: KeptReference, _ flow: TableFlow) {
        flows[reference.table]?.cleared.formUnion([reference.column] + reference.companions)
        for name in [reference.column] + reference.companions {
            guard let column = flow.new.column(name), let source = flow.kept[name],
                !column.isNullable || flow.old?.column(source)?.isNullable == false,
                flows[reference.table]?.relaxed.insert(name).inserted == true
            else { continue }
            add(
                .alter, "\(reference.place) may refer to removed objects", on: [reference.table],
                ["ALTER TABLE \(table(flow)) ALTER COLUMN \(quoted(name)) DROP NOT NULL"])
        }
    }

    /// Whether some objects of the old destination are no objects of the new one.
    func losesMembers(_ new: String, _ old: String) -> Bool {
        let now = Set(pairing.new.descendants(of: new).filter { !$0.isAbstract }.map(\.name))
        return pairing.old.descendants(of: old).filter { !$0.isAbstract }.contains {
            pairing.target(ofEntity: $0.name).map { !now.contains($0) } ?? true
        }
    }

    /// Where objects of the old destination are that the new one does not take. Those that have lost the inverse are none:
    /// the loss of their links is confirmed by its name.
    private func otherTables(
        than reference: KeptReference
    ) -> [(table: String, key: String, condition: String)] {
        let now = Set(pairing.new.descendants(of: reference.destination).map(\.name))
        var found: [(table: String, key: String, condition: String)] = []
        for before in pairing.old.descendants(of: reference.oldDestination) where !before.isAbstract {
            guard let target = pairing.target(ofEntity: before.name), !now.contains(target),
                let mapping = new.entities[target], keepsInverse(reference, target)
            else { continue }
            found.append(
                (
                    SQLIdentifier.quoted(namespace, mapping.table), mapping.keyColumn,
                    filter([target], in: mapping.table, alias: "o").map { " AND \($0)" } ?? ""
                ))
        }
        return found.sorted { $0.table < $1.table }
    }

    /// Indicates whether objects of an entity have the other end of a reference still, or never had one. Links that go on in
    /// another table or column are copied there.
    private func keepsInverse(_ reference: KeptReference, _ target: String) -> Bool {
        guard let inverse = reference.oldInverse else { return true }
        return pairing.new.properties(of: target).contains {
            pairing.source(of: $0.name, in: target)?.name == inverse
                && isStored($0.name, target, in: reference)
        }
    }

    private func isStored(_ property: String, _ entity: String, in reference: KeptReference) -> Bool {
        guard let storage = new.entities[entity], let found = storage.property(named: property) else {
            return false
        }
        return switch found.mapping {
        case .toOne(let mapping): (storage.table, mapping.column) == (reference.table, reference.column)
        case .inverse(let mapping): (mapping.table, mapping.column) == (reference.table, reference.column)
        case .join(let mapping): mapping.joinTable == reference.table
        case .attribute, .transient: false
        }
    }
}
