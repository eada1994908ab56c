internal import HowdahModel
internal import HowdahSchema
internal import PQClient

/// What need not be in the transaction: the new model does not miss it, or programs wait for it before they open the store.
extension MigrationPlanner {
    // MARK: - Columns

    /// A column that nobody writes any more takes NULL.
    mutating func loosen(_ column: String, _ name: String, _ flow: TableFlow) {
        add(
            .alter, "\(name) is no longer written", on: [flow.new.name],
            ["ALTER TABLE \(table(flow)) ALTER COLUMN \(quoted(column)) DROP NOT NULL"])
    }

    /// A check that holds for new rows at once; the server takes its word for NOT NULL once all rows were looked at.
    ///
    /// The server checks a row with each update, whatever that changes. While rows without a value are given one online, a
    /// trigger gives it to those that programs write first.
    mutating func requireLater(_ column: StoreSchema.Column, _ flow: TableFlow, _ place: String) {
        let rule = places.temporary()
        let check = quoted(rule)
        let name = quoted(column.name)
        let target = table(flow)
        var (making, ending): ([String], [String]) = ([], [])
        if let value = flow.filledOnline[column.name] {
            let function = SQLIdentifier.quoted(namespace, rule)
            let body = "BEGIN IF NEW.\(name) IS NULL THEN NEW.\(name) := \(value); END IF; RETURN NEW; END"
            making = [
                "CREATE FUNCTION \(function)() RETURNS trigger LANGUAGE plpgsql "
                    + "SET search_path = pg_catalog, pg_temp AS \(SQLLiteral.string(body))",
                "CREATE TRIGGER \(check) BEFORE INSERT OR UPDATE ON \(target) FOR EACH ROW EXECUTE FUNCTION \(function)()",
            ]
            ending = ["DROP TRIGGER \(check) ON \(target)", "DROP FUNCTION \(function)()"]
        } else {
            checkPresence(of: column, flow, place)
        }
        add(
            .tighten, "\(place) is required", on: [flow.new.name],
            making + ["ALTER TABLE \(target) ADD CONSTRAINT \(check) CHECK (\(name) IS NOT NULL) NOT VALID"])
        add(
            .laterRules, "\(place) is required", on: [flow.new.name],
            [
                "ALTER TABLE \(target) VALIDATE CONSTRAINT \(check)",
                "ALTER TABLE \(target) ALTER COLUMN \(name) SET NOT NULL",
                "ALTER TABLE \(target) DROP CONSTRAINT \(check)",
            ] + ending, lock: .shareUpdateExclusive, work: .validation)
    }

    // MARK: - Values

    /// Whether writing a default into rows can wait: programs do not open the store before that is done, and nothing in the
    /// transaction reads the column.
    func canFillOnline(_ column: StoreSchema.Column, _ flow: TableFlow) -> Bool {
        let now = flows[flow.new.name] ?? flow
        return now.kept[column.name] != nil && !now.relaxed.contains(column.name)
            && !now.converted.contains(column.name) && !now.movesRows && !column.isNullable
            && !isInUnique(column, flow) && !isDerivedFrom(column, flow)
    }

    /// A column, and the value that rows without one get.
    typealias OnlineFill = (column: StoreSchema.Column, value: String)

    /// All columns of a row at once: the checks of the others would refuse a row that is written while it lacks their values.
    mutating func fillOnline(_ fills: [OnlineFill], _ flow: TableFlow) {
        guard !fills.isEmpty else { return }
        let names = fills.map { quoted($0.column.name) }
        let values = zip(names, fills).map { name, fill in
            "\(name) = " + (fills.count == 1 ? fill.value : "COALESCE(t.\(name), \(fill.value))")
        }
        let absences = names.map { "t.\($0) IS NULL" }
        let rows = fills.count == 1 ? absences[0] : "(\(absences.joined(separator: " OR ")))"
        addBatches(
            .onlineFill,
            "default of " + fills.map { origin(of: $0.column, in: flow) }.joined(separator: ", "), flow,
            "UPDATE \(table(flow)) AS t SET \(values.joined(separator: ", ")) WHERE \(rows)")
    }

    /// Whether nothing of the new schema tells values apart that only rows of other entities may have.
    func isUnobserved(
        _ column: StoreSchema.Column, _ flow: TableFlow, _ contents: [String: ColumnUses.Content]
    ) -> Bool {
        let isValue = contents.values.allSatisfy { if case .leaf = $0 { true } else { false } }
        let name = quoted(column.name)
        return isValue && !flow.movesRows && !isInUnique(column, flow)
            && !flow.new.checks.contains { $0.condition.sql.contains(name) }
    }

    mutating func clearLater(
        _ column: StoreSchema.Column, _ flow: TableFlow, _ rows: String, reason entities: String
    ) {
        addBatches(
            .laterClear, "values of \(origin(of: column, in: flow)) removed from objects of \(entities)",
            flow,
            "UPDATE \(table(flow)) AS t SET \(quoted(column.name)) = NULL WHERE \(rows) "
                + "AND t.\(quoted(column.name)) IS NOT NULL")
    }

    private mutating func addBatches(
        _ phase: Phase, _ reason: String, _ flow: TableFlow, _ statement: String
    ) {
        let key = flow.new.primaryKey[0]
        add(
            phase, reason, on: [flow.new.name],
            ["\(statement) AND t.\(quoted(key)) > $1 AND t.\(quoted(key)) <= $2"], lock: .rowExclusive,
            work: .batches(table: flow.new.name, key: key))
    }

    private func isInUnique(_ column: StoreSchema.Column, _ flow: TableFlow) -> Bool {
        let name = quoted(column.name)
        return flow.new.uniques.contains { unique in
            unique.columns.contains(column.name) || unique.filter?.sql.contains(name) == true
                || unique.elements?.contains { $0.sql(in: namespace).contains(name) } == true
        }
    }

    /// Indicates whether a derived attribute of other rows may read the column. Those of the same row the server computes.
    private func isDerivedFrom(_ column: StoreSchema.Column, _ flow: TableFlow) -> Bool {
        let contents = newUses.contents(of: column.name, in: flow.new.name).values
        let names = Set(contents.compactMap { if case .leaf(let path) = $0 { path.first } else { nil } })
        return pairing.new.entities.contains { entity in
            entity.properties.contains { property in
                switch property.attribute?.derivation?.kind {
                case .copy(let path), .sum(_, let path): path.contains(where: names.contains)
                default: false
                }
            }
        }
    }

    // MARK: - Rules

    /// Whether foreign keys need it.
    func isReferenced(_ unique: StoreSchema.Unique, _ table: StoreSchema.Table) -> Bool {
        new.tables.contains { other in
            other.foreignKeys.contains {
                $0.referencedTable == table.name && $0.referencedColumns == unique.columns
            }
        }
    }

    mutating func makeOnline(_ unique: StoreSchema.Unique, _ flow: TableFlow) {
        let fault = fault(of: unique, flow)
        add(
            .onlineUniques, "\(place(unique.origin)) is unique", on: [flow.new.name],
            unique.concurrentCreation(on: flow.new, in: namespace), lock: .shareUpdateExclusive,
            check: fault?.check, work: .index(unique.name), violationQuery: fault?.look)
    }

    mutating func makeLater(_ index: StoreSchema.Index, _ flow: TableFlow) {
        add(
            .laterIndexes, "index of \(place(index.origin))", on: [flow.new.name],
            [index.creation(on: flow.new, in: namespace, concurrently: true)], lock: .shareUpdateExclusive,
            work: .index(index.name))
    }

    /// New values keep the rule at once. Objects without a value that is required now are refused at once, too: the
    /// model has no word for them.
    mutating func makeLater(_ rule: StoreSchema.Check, _ flow: TableFlow) {
        if rule.condition.demandsPresence { look(rule, flow) }
        add(
            .checks, "rule of \(place(rule.origin))", on: [flow.new.name],
            ["ALTER TABLE \(table(flow)) ADD \(rule.definition) NOT VALID"])
        validateLater(rule.name, "rule of \(place(rule.origin))", flow, fault(of: rule, flow))
    }

    mutating func makeLater(_ key: StoreSchema.ForeignKey, _ flow: TableFlow) {
        let reason = "\(place(key.origin)) refers to \(key.referencedTable)"
        add(
            .foreignKeys, reason, on: [flow.new.name, key.referencedTable],
            [key.creation(on: flow.new, in: namespace) + " NOT VALID"], lock: .shareRowExclusive)
        validateLater(key.name, reason, flow, nil)
    }

    private mutating func validateLater(
        _ name: String, _ reason: String, _ flow: TableFlow, _ fault: RowFault?
    ) {
        add(
            .laterRules, reason, on: [flow.new.name],
            ["ALTER TABLE \(table(flow)) VALIDATE CONSTRAINT \(quoted(name))"], lock: .shareUpdateExclusive,
            check: fault?.check, work: .validation, violationQuery: fault?.look)
    }
}

extension StoreSchema.Condition {
    /// Whether it holds for some rows only where a column has a value.
    var demandsPresence: Bool {
        switch self {
        case .isNotNull, .allOrNone: true
        case .and(let conditions), .or(let conditions): conditions.contains(where: \.demandsPresence)
        case .not(let condition), .isNotTrue(let condition): condition.demandsPresence
        default: false
        }
    }
}
