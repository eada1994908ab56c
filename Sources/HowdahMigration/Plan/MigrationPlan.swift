internal import Foundation
package import HowdahModel
public import HowdahSchema

/// What takes a store from one version of its model to another: steps in order, to be printed, kept, and run.
///
/// A pure function of the two models and the schema's name: the same on every machine, and made without a server.
public struct MigrationPlan: Hashable, Sendable, Codable {
    /// Names mean the server's own, triggers for delete rules leave everything to the steps, and steps take the time that
    /// they take.
    static let stepSettings = """
        SET LOCAL search_path = pg_catalog, pg_temp;
        SET LOCAL statement_timeout = 0;
        SET LOCAL idle_in_transaction_session_timeout = 0;
        SET LOCAL row_security = off;
        SET LOCAL extra_float_digits = 1;
        SET LOCAL howdah.save = 'on';
        SET LOCAL howdah.history = 'on'
        """

    /// The checksum of the model that the store must have been made with; empty where the plan makes the store.
    public let fromChecksum: String
    /// The checksum of the model that it has afterwards.
    public let toChecksum: String
    /// The PostgreSQL schema that the store is in.
    public let schemaName: String
    /// What differs between the models, in words.
    public let changes: [String]
    /// What a mapping does not do although it looks so, in words; empty without a mapping.
    public let warnings: [String]
    /// The steps: those that run in one transaction, then, with deferral, those that run online and those that wait.
    public internal(set) var steps: [MigrationStep]
    /// The tables of the old store that any immediate step alters or writes, sorted; they are locked first.
    public let lockedTables: [String]

    /// Infers the steps from `old` to `new`.
    ///
    /// - Parameters:
    ///   - confirmedDrops: see ``ModelDifference``.
    ///   - shouldDefer: whether only what the new model could miss is in the transaction; all is, by default.
    /// - Throws: ``MigrationError`` with `notInferable`, naming every property; with `invalidModel`.
    package init(
        from old: ManagedObjectModel, to new: ManagedObjectModel, schemaName: String = "public",
        confirmedDrops: Set<String> = [], shouldDefer: Bool = false
    ) throws(MigrationError) {
        let difference = ModelDifference(from: old, to: new, confirmedDrops: confirmedDrops)
        guard difference.refusals.isEmpty else { throw MigrationError(refusals: difference.refusals) }
        let schemas: (StoreSchema, StoreSchema)
        do {
            schemas = (
                try StoreSchema(old, schemaName: schemaName), try StoreSchema(new, schemaName: schemaName)
            )
        } catch {
            throw MigrationError(.invalidModel, error.description)
        }
        if let refusal = schemas.1.refusalOfOwnStore { throw MigrationError(.invalidModel, refusal) }
        var planner = MigrationPlanner(difference.pairing, from: schemas.0, to: schemas.1)
        planner.defers = shouldDefer
        planner.run()
        self.schemaName = schemaName
        fromChecksum = old.versionChecksum
        toChecksum = new.versionChecksum
        changes = difference.changes.map(\.description)
        warnings = []
        steps = planner.steps
        let known = Set(schemas.0.tables.map(\.name))
        lockedTables = Set(
            steps.flatMap { step in
                step.lock == .accessShare || step.lock == .none || step.execution != .immediate
                    ? [] : step.tables
            }
        ).intersection(known).sorted()
    }

    init(
        fromChecksum: String, toChecksum: String, schemaName: String, changes: [String],
        warnings: [String] = [], steps: [MigrationStep], lockedTables: [String]
    ) {
        self.fromChecksum = fromChecksum
        self.toChecksum = toChecksum
        self.schemaName = schemaName
        self.changes = changes
        self.warnings = warnings
        self.steps = steps
        self.lockedTables = lockedTables
    }

    /// The plan as JSON that is the same for equal plans.
    public var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }
}

extension MigrationPlan: CustomStringConvertible {
    /// Each step on a line with its lock, its statements below.
    public var description: String {
        ([heading] + warningLines + lines { _ in true }).joined(separator: "\n")
    }

    /// How much there is to do.
    var heading: String {
        (fromChecksum.isEmpty ? "no store" : "\(fromChecksum.prefix(12))")
            + " → \(toChecksum.prefix(12))   \(summary), "
            + (steps.contains(where: \.rewritesTable) ? "tables are rewritten" : "no rewrite")
    }

    var warningLines: [String] { warnings.map { "warning: \($0)" } }

    private var summary: String {
        let counts = [MigrationStep.Execution.immediate, .online, .deferred].map { kind in
            steps.count { $0.execution == kind }
        }
        let immediate = "\(counts[0]) \(counts[0] == 1 ? "step" : "steps")"
        if counts[0] == steps.count { return "\(immediate), 1 transaction" }
        return "\(immediate) in 1 transaction, \(counts[1]) online, \(counts[2]) deferred"
    }

    /// Some of the steps, with their numbers among all.
    func lines(where isIncluded: (MigrationStep) -> Bool) -> [String] {
        steps.enumerated().filter { isIncluded($0.element) }.map { number, step in
            var line = "\(number + 1)  \(step.reason)   \(step.lock.rawValue)"
            if let last = step.lastLock { line += ", at the end \(last.rawValue) for a moment" }
            if step.rewritesTable { line += ", rewrite" }
            if step.execution != .immediate { line += ", \(step.execution.rawValue)" }
            if let rows = step.estimatedRows { line += ", about \(rows) rows" }
            return ([line] + step.statements.map { "     " + $0.replacing("\n", with: "\n     ") })
                .joined(separator: "\n")
        }
    }
}
