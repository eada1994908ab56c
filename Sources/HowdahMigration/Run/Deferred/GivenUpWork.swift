internal import HowdahModel
package import HowdahSchema
internal import PQClient

/// Pending work that the next migration gives up: what the steps would make or hold rows to, its plan drops.
///
/// A pure function of the steps and the plan.
package struct GivenUpWork {
    /// The steps that are not to be done any more.
    package let steps: [PendingMigrationStep]
    /// The other steps, if something stood in their way that is given up; done in the transaction of the plan.
    package let leftovers: [PendingMigrationStep]
    /// What clears up what they have made so far; run in the transaction of the plan, before its steps.
    let statements: [String]
    /// The plan without the drops of what was never made.
    let plan: MigrationPlan

    package init(_ pending: [PendingMigrationStep], by plan: MigrationPlan) {
        let drops = Drops(plan)
        var steps: [PendingMigrationStep] = []
        var statements: [String] = []
        var needless: Set<String> = []
        for step in pending {
            guard let end = drops.end(of: step.step) else { continue }
            steps.append(step)
            statements += end.statements
            needless.formUnion(end.needless)
        }
        self.steps = steps
        leftovers = pending.filter { step in !steps.contains { $0.number == step.number } }
            .sorted { $0.number < $1.number }
        self.statements = statements
        self.plan = needless.isEmpty ? plan : plan.without(needless)
    }
}

/// What the transaction of a plan drops, told by the statements that the planner writes.
private struct Drops {
    let schemaName: String
    let statements: [String]

    init(_ plan: MigrationPlan) {
        schemaName = plan.schemaName
        statements = plan.steps.filter { $0.execution == .immediate }.flatMap(\.statements)
    }

    /// What ends a step that is given up, and the plan's statements that need not be; nil if it is to be done.
    func end(of step: MigrationStep) -> (statements: [String], needless: [String])? {
        guard let name = step.tables.first else { return nil }
        let table = SQLIdentifier.quoted(schemaName, name)
        let isTableGone = isGone(table: table)
        switch step.work {
        case .index(let index):
            let quoted = (SQLIdentifier.quoted(index), SQLIdentifier.quoted(schemaName, index))
            let ways = ["ALTER TABLE \(table) DROP CONSTRAINT \(quoted.0)", "DROP INDEX \(quoted.1)"]
            let needless = statements.filter(ways.contains)
            if needless.isEmpty, !isTableGone { return nil }
            // A build may have ended, or left its remains.
            return (
                [
                    "ALTER TABLE \(table) DROP CONSTRAINT IF EXISTS \(quoted.0)",
                    "DROP INDEX IF EXISTS \(quoted.1)",
                ],
                needless
            )
        case .validation:
            let required = step.statements.dropFirst().first { $0.hasSuffix(" SET NOT NULL") }
            if let required {
                let column = required.dropFirst("ALTER TABLE \(table) ALTER COLUMN ".count)
                    .dropLast(" SET NOT NULL".count)
                guard
                    isTableGone || isGone(column: String(column), of: table)
                        || isOptional(String(column), of: table)
                else { return nil }
                return (
                    step.statements.filter { $0.contains(" DROP CONSTRAINT ") || $0.hasPrefix("DROP ") }, []
                )
            }
            let validation = "ALTER TABLE \(table) VALIDATE CONSTRAINT "
            guard let first = step.statements.first, first.hasPrefix(validation) else { return nil }
            let rule = first.dropFirst(validation.count)
            let drop = "ALTER TABLE \(table) DROP CONSTRAINT \(rule)"
            guard statements.contains(drop) || isTableGone else { return nil }
            // Rows that break the rule could not be written before.
            return (["ALTER TABLE \(table) DROP CONSTRAINT IF EXISTS \(rule)"], [drop])
        case .batches:
            let columns = step.statements.flatMap { Self.columnsSet(by: $0, of: table) }
            let isGiven = !columns.isEmpty && columns.allSatisfy { isGone(column: $0, of: table) }
            return isGiven || isTableGone ? ([], []) : nil
        case nil: return nil
        }
    }

    private func isGone(table: String) -> Bool {
        statements.contains {
            $0 == "DROP TABLE \(table)"
                || $0.hasPrefix("ALTER TABLE \(table) RENAME TO ") && SQLShape.nameSetAside(by: [$0]) != nil
        }
    }

    private func isGone(column: String, of table: String) -> Bool {
        statements.contains { statement in
            guard statement.hasPrefix("ALTER TABLE \(table) ") else { return false }
            return (statement + ",").contains("DROP COLUMN \(column),")
                || statement.hasPrefix("ALTER TABLE \(table) RENAME COLUMN \(column) TO ")
                    && SQLShape.nameSetAside(by: [statement]) != nil
        }
    }

    private func isOptional(_ column: String, of table: String) -> Bool {
        statements.contains {
            $0.hasPrefix("ALTER TABLE \(table) ") && $0.contains("ALTER COLUMN \(column) DROP NOT NULL")
        }
    }

    /// The columns that an UPDATE of batches writes. Names and values can have any words.
    private static func columnsSet(by statement: String, of table: String) -> [String] {
        let start = "UPDATE \(table) AS t SET "
        guard statement.hasPrefix(start) else { return [] }
        let token = #/'(?:[^']|'')*'|(?<name>"(?:[^"]|"")+")(?<sign> = )?|\(|\)| WHERE /#
            .matchingSemantics(.unicodeScalar)
        var columns: [String] = []
        var depth = 0
        for found in statement.dropFirst(start.count).matches(of: token) {
            switch found.output.0 {
            case "(": depth += 1
            case ")": depth -= 1
            case " WHERE " where depth == 0: return columns
            default:
                if depth == 0, found.output.sign != nil, let name = found.output.name {
                    columns.append(String(name))
                }
            }
        }
        return columns
    }
}

extension MigrationPlan {
    /// The same without these statements, and without steps that have no others.
    fileprivate func without(_ needless: Set<String>) -> MigrationPlan {
        var plan = self
        plan.steps = steps.compactMap { step in
            let rest = step.statements.filter { !needless.contains($0) }
            if rest.count == step.statements.count { return step }
            return rest.isEmpty
                ? nil
                : MigrationStep(
                    step.reason, on: step.tables, rest, lock: step.lock, rewritesTable: step.rewritesTable,
                    isRule: step.isRule, check: step.check, pass: step.pass, execution: step.execution,
                    work: step.work, violationQuery: step.violationQuery, departure: step.departure)
        }
        return plan
    }
}
