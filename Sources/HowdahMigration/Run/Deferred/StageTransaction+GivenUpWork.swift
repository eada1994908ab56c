internal import HowdahSchema
internal import PQClient

extension StageTransaction {
    /// Removes what the given up steps of an earlier migration have made so far, and runs the others that they blocked.
    ///
    /// - Throws: `MigrationError` with `unfinished`; `PostgresError`.
    func giveUp() throws {
        guard let givenUp else { return }
        func comparison(_ step: PendingMigrationStep) -> IndexComparison {
            IndexComparison(connection: connection, schemaName: plan.schemaName, step: step.step)
        }
        func removal(of index: String) -> String {
            "DROP INDEX IF EXISTS \(SQLIdentifier.quoted(plan.schemaName, index))"
        }
        // What other programs have stays.
        let foreign = try givenUp.steps.filter { try comparison($0).isForeign() }.flatMap { pending in
            guard case .index(let name) = pending.step.work, let table = pending.step.tables.first else {
                return [String]()
            }
            return [
                "ALTER TABLE \(SQLIdentifier.quoted(plan.schemaName, table)) DROP CONSTRAINT IF EXISTS "
                    + SQLIdentifier.quoted(name), removal(of: name),
            ]
        }
        for statement in givenUp.statements where !foreign.contains(statement) { try execute(statement) }
        let work = PendingWork(connection, in: plan.schemaName)
        for step in givenUp.steps { try work.complete(step) }
        for pending in givenUp.leftovers {
            do {
                if case .index(let name) = pending.step.work {
                    let comparison = comparison(pending)
                    if try comparison.isForeign() {
                        throw MigrationError(.unfinished, comparison.message + "\n" + DeferredWork.remedy)
                    }
                    try execute(removal(of: name))
                }
                for statement in pending.step.statements {
                    _ = try run(whole: statement, of: pending.step, "")
                }
            } catch let error as PostgresError
                where MigrationStep.refusalsOfRows.contains(error.sqlState ?? "")
            {
                try connection.rollback()
                throw MigrationError(
                    .unfinished,
                    try pending.step.refusal(error, on: connection) + "\n" + DeferredWork.remedy,
                    databaseError: error.withoutDetail)
            }
            try work.complete(pending)
        }
        if !givenUp.leftovers.isEmpty {
            var writer: Writer? = ("The pending work of an earlier migration", 0)
            try settleConstraints(&writer)
        }
    }
}
