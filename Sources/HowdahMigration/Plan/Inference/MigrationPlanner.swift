internal import HowdahModel
internal import HowdahSchema
internal import PQClient

/// Makes the steps from one laid-out model to another.
///
/// What the tables are to be follows from comparing the two schemas, after renames were applied to the old one, so that a
/// migrated store is a fresh one by construction; only what becomes of the rows follows from the models.
struct MigrationPlanner {
    let pairing: ModelPairing
    let old: StoreSchema
    let new: StoreSchema
    let oldUses: ColumnUses
    let newUses: ColumnUses
    /// The names of everything that the new schema has.
    let newNames: Set<String>

    /// Whether only what the new model could miss is done at once.
    var defers = false
    /// Whether new tables get all their rows by few statements: the key's index is then made once, from rows that are there.
    var keysLate = false
    /// By the name of the new table.
    var flows: [String: TableFlow] = [:]
    /// Where what the old store has is found once the renames are done.
    var places: PhysicalNames
    /// Old tables that no new one continues.
    var endingTables: [StoreSchema.Table] = []
    private var buckets: [[MigrationStep]] = Array(repeating: [], count: Phase.allCases.count)

    /// The order of the steps.
    enum Phase: Int, CaseIterable {
        case looks, dropTriggers, dropForeignKeys, dropRules, nameRules, rename, nameRulesAgain, create, alter
        case copyRows, storedNames, fill, links, references, clear, removeRows, mirror, entityColumns, order
        case drop, generate, derive, loosen, tighten, checks, primaryKeys, uniques, foreignKeys, indexes,
            counts, triggers
        case onlineFill, onlineUniques, laterIndexes, laterClear, laterRules, laterDrop

        var execution: MigrationStep.Execution {
            switch self {
            case .onlineFill, .onlineUniques: .online
            case .laterIndexes, .laterClear, .laterRules, .laterDrop: .deferred
            default: .immediate
            }
        }

        /// Whether the steps hold rows to rules that handlers may have to fulfil first. Foreign keys and triggers are none:
        /// whoever deletes objects relies on them.
        var areRules: Bool { [.tighten, .checks, .uniques, .counts].contains(self) }
    }

    init(_ pairing: ModelPairing, from old: StoreSchema, to new: StoreSchema) {
        self.pairing = pairing
        self.old = old
        self.new = new
        oldUses = ColumnUses(old)
        newUses = ColumnUses(new)
        places = PhysicalNames(old)
        var names: Set<String> = []
        for table in new.tables {
            names.formUnion([table.name, table.primaryKeyName])
            names.formUnion(table.foreignKeys.map(\.name))
            names.formUnion(table.checks.map(\.name))
            names.formUnion(table.uniques.map(\.name))
            names.formUnion(table.indexes.map(\.name))
        }
        newNames = names
    }

    /// The steps in order.
    var steps: [MigrationStep] { buckets.flatMap { $0 } }

    /// The steps of some phases, in order.
    func steps(where isIncluded: (Phase) -> Bool) -> [MigrationStep] {
        zip(Phase.allCases, buckets).flatMap { isIncluded($0) ? $1 : [] }
    }

    mutating func run() {
        matchTables()
        matchColumns()
        lookAtConversions()
        moveNames()
        alterColumns()
        for row in rowMoves { copy(row) }
        renameStoredNames()
        fillColumns()
        moveLinks()
        removeRows()
        mirrorLinks()
        tellEntities()
        numberMembers()
        dropRemains()
        tightenColumns()
        changeRules()
        deriveValues()
        checkCounts(
            tightened: true,
            remedy: "Correct the number of members in a stage handler, or change the bounds in the model")
    }

    mutating func add(
        _ phase: Phase, _ reason: String, on tables: [String], _ statements: [String],
        lock: LockLevel = .accessExclusive, rewrites: Bool = false, check: MigrationStep.Check? = nil,
        work: MigrationStep.Work? = nil, violationQuery: String? = nil, departure: String? = nil
    ) {
        let known =
            phase.execution == .immediate ? tables.map { flows[$0]?.old?.name ?? $0 } : tables
        addStep(
            phase,
            MigrationStep(
                reason, on: known, statements, lock: lock, rewritesTable: rewrites, isRule: phase.areRules,
                check: check, execution: phase.execution, work: work, violationQuery: violationQuery,
                departure: departure))
    }

    mutating func addStep(_ phase: Phase, _ step: MigrationStep) { buckets[phase.rawValue].append(step) }

    /// A look at the rows: `condition` holds for those that are wrong, in a table with the alias t.
    mutating func check(
        _ phase: Phase, _ reason: String, _ flow: TableFlow, where condition: String, entity: String,
        fault: String, remedy: String, key: String? = nil, name: String = ""
    ) {
        add(
            phase, reason, on: [flow.new.name], [look(flow, where: condition, key: key, name: name)],
            lock: .accessShare, check: MigrationStep.Check(entityName: entity, fault: fault, remedy: remedy))
    }

    /// Finds the rows that `condition` holds for, in a table with the alias t.
    ///
    /// - Parameter name: The third column, as `entityName(of:_:)` gives it.
    func look(
        _ flow: TableFlow, where condition: String, key: String? = nil, name: String = ""
    ) -> String {
        "SELECT t.\(quoted(key ?? flow.new.primaryKey[0])), pg_catalog.count(*) OVER ()\(name) "
            + "FROM \(table(flow)) AS t WHERE \(condition) ORDER BY 1 LIMIT \(Self.exampleCount)"
    }

    /// How many keys a look at the rows brings.
    static let exampleCount = 5

    var namespace: String { new.schemaName }

    func quoted(_ name: String) -> String { SQLIdentifier.quoted(name) }

    func table(_ flow: TableFlow) -> String { SQLIdentifier.quoted(namespace, flow.new.name) }

    /// The flows of tables that hold objects, then those of links, each by name.
    var orderedFlows: [TableFlow] {
        flows.values.sorted { ($0.isLinks ? 1 : 0, $0.new.name) < ($1.isLinks ? 1 : 0, $1.new.name) }
    }

    /// The concrete entities whose objects are in a table, by name.
    func concreteEntities(in table: String) -> [EntityDescription] {
        pairing.new.entities.filter { !$0.isAbstract && new.entities[$0.name]?.table == table }
            .sorted { $0.name < $1.name }
    }

    /// The entity whose objects become those of `entity`; nil where there are none.
    func concreteSource(of entity: String) -> EntityDescription? {
        pairing.source(ofEntity: entity).flatMap { pairing.old[$0] }.flatMap { $0.isAbstract ? nil : $0 }
    }

    /// What holds for rows of these entities only; nil where it holds for all rows.
    ///
    /// - Parameter leaving: Whether rows that leave the table later may still be in it.
    func filter(
        _ entities: [String], in table: String, alias: String = "t", leaving: Bool = false
    ) -> String? {
        let all = concreteEntities(in: table).map(\.name)
        guard new.table(named: table)?.column(StoreSchema.entityColumn) != nil,
            leaving || Set(entities) != Set(all)
        else { return nil }
        let names = entities.compactMap { pairing.new[$0]?.storedName }.sorted()
        return "\(alias).\(quoted(StoreSchema.entityColumn)) IN (\(Self.list(names)))"
    }

    static func list(_ names: [String]) -> String {
        names.isEmpty ? SQLLiteral.null : names.map(SQLLiteral.string).joined(separator: ", ")
    }
}
