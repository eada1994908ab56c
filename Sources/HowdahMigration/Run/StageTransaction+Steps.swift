internal import HowdahModel
internal import HowdahSchema
internal import PQClient

extension StageTransaction {
    /// A step with its place in the plan.
    typealias Numbered = (offset: Int, element: MigrationStep)

    /// The rules that stored rows break, with the state of the store and without it.
    typealias Fault = (alone: String, listed: String)

    /// A step that wrote rows which are not checked yet.
    typealias Writer = (place: String, number: Int)

    private var immediate: [Numbered] {
        plan.steps.enumerated().filter { $0.element.execution == .immediate }
    }

    /// The steps before the `didMigrate` handler, in their order; all steps without a handler.
    var steps: [Numbered] {
        immediate.filter { handlers.didMigrate == nil || !$0.element.isRule }
    }

    /// The steps after the `didMigrate` handler.
    var lateRules: [Numbered] {
        handlers.didMigrate == nil ? [] : immediate.filter(\.element.isRule)
    }

    /// Runs steps. If rows break one of them, the looks at rows of all others find the rest.
    func run(_ steps: [Numbered]) throws {
        var writer: Writer?
        for (place, step) in steps.enumerated() {
            guard let fault = try run(step, &writer) else { continue }
            let others = steps[(place + 1)...].filter { $0.element.check != nil }.compactMap {
                try? run($0, &writer)
            }
            let all = [fault] + others
            throw MigrationError(
                .unfitData,
                all.count == 1
                    ? fault.alone
                    : "Rows do not fit the model. \(aftermath).\n"
                        + all.map { "- \($0.listed)" }.joined(separator: "\n")
            )
        }
        // Handlers may alter tables, too.
        try conduct.settle(&writer, of: self)
    }

    private func run(_ step: Numbered, _ writer: inout Writer?) throws -> Fault? {
        if let pass = step.element.pass {
            if pass == 0 { try runPasses() }
            return nil
        }
        return try conduct.run(step.element, step.offset + 1, of: self, &writer)
    }

    /// Runs a step as it is.
    ///
    /// - Returns: What a look at the rows found; nil if it found nothing, and for other steps.
    func run(_ step: MigrationStep, _ number: Int, _ writer: inout Writer?) throws -> Fault? {
        observer?(.stepBegan(number: number, count: plan.steps.count, step))
        do {
            var fault: Fault?
            try runStatements(of: step, number, &writer, settle: settleConstraints) { found in
                guard let check = step.check, let alone = check.violation(found, aftermath: aftermath),
                    let listed = check.violation(found)
                else { return }
                fault = (alone, listed)
            }
            return fault
        } catch let error as PostgresError
            where error.sqlState == PostgresError.dependentObjects && error.detail == nil
        {
            // A refusal of the library's own, which has its remedy.
            throw MigrationError(
                .database,
                "\(place(of: step, number)): \(error.message). \(aftermath)."
                    + (error.hint.map { " \($0)" } ?? ""),
                databaseError: error)
        } catch let error as PostgresError where !error.isOfLocks {
            let place = self.place(of: step, number)
            if let refusal = try refusal(error, of: place) { throw refusal }
            throw MigrationError(
                .database, "\(place) \(error.outcome(aftermath))", databaseError: error.withoutCascade)
        }
    }

    /// Runs the statements of a step. Rows that were written are checked before a statement that writes none.
    ///
    /// - Parameter look: Is called with each answer.
    func runStatements(
        of step: MigrationStep, _ number: Int, _ writer: inout Writer?,
        settle: (inout Writer?) throws -> Void, _ look: (QueryResult) -> Void
    ) throws {
        let comment = position.comment(step: number, of: plan.steps.count)
        for statement in step.statements {
            let isWriting = MigrationStep.isWriting(statement)
            if !isWriting, step.check == nil { try settle(&writer) }
            look(try run(whole: statement, of: step, comment))
            if isWriting, step.check == nil { writer = (place(of: step, number), number) }
        }
    }

    /// Runs a statement of a step, or the one with the same effect in a transaction.
    func run(whole statement: String, of step: MigrationStep, _ comment: String) throws -> QueryResult {
        switch step.execution == .immediate ? nil : step.work {
        case .index:
            let sql = statement.replacing(" INDEX CONCURRENTLY ", with: " INDEX ", maxReplacements: 1)
            return try connection.query(comment + sql, cached: false)
        case .batches:
            var all = Parameters()
            all.append(Int64.min)
            all.append(Int64.max)
            return try connection.query(comment + statement, all, cached: false)
        case .validation, nil: return try connection.query(comment + statement, cached: false)
        }
    }

    /// The error if a rule of the tables does not allow the rows; nil for other errors.
    func refusal(_ error: PostgresError, of place: String) throws -> MigrationError? {
        let schemas = try [source, target].map { try StoreSchema($0, schemaName: plan.schemaName) }
        return RuleRefusal(error, schemas).map {
            MigrationError(.unfitData, "\(place): \($0.message(aftermath))", databaseError: $0.error)
        }
    }
}
