import HowdahMigration
import HowdahModel
import HowdahRuntime
import PQClient

/// Runs the passes of a mapping in the transaction of its stage.
struct MappingRun: Sendable {
    let mapped: MappedPlan
    let source: Store
    let destination: Store
    let policies: [String: EntityMigrationPolicy.Type]
    let models: (ManagedObjectModel, ManagedObjectModel)

    /// The number of objects in memory at a time, without those that a policy retains.
    static let batchSize = 500

    /// Runs all passes.
    ///
    /// - Parameter running: Runs the work of the pass with this number, which returns the number of its rows or objects.
    /// - Throws: `MigrationError` with `mappingFailed`; `PostgresError` if a lock was not available.
    func run(on connection: Connection, _ running: (Int, () throws -> Int) throws -> Void) throws {
        let (sources, destinations) = (
            ManagedObjectContext(store: source), ManagedObjectContext(store: destination)
        )
        let isRehearsal = try StoreMigration.isRehearsed(on: connection)
        for context in [sources, destinations] { context.isRehearsal = isRehearsal }
        defer {
            sources.reset()
            destinations.reset()
        }
        let manager = MigrationManager(
            mapped.mappingModel, models, (sources, destinations), mapped.layouts, connection)
        var made: [Int: EntityMigrationPolicy] = [:]
        try sources.run(UnitOfWork(store: source, borrowing: connection)) { _ in
            try destinations.run(UnitOfWork(store: destination, borrowing: connection)) { _ in
                for (number, pass) in mapped.passes.enumerated() {
                    do {
                        try running(number) { try run(pass, manager, connection, &made) }
                    } catch let error as MigrationError where error.code == .unfitData {
                        throw error
                    } catch {
                        if let failure = error.lockFailure { throw failure }
                        throw MigrationError(
                            .mappingFailed, "\(pass.reason): \(Self.sentence("\(error)"))",
                            databaseError: error as? PostgresError, underlyingError: error)
                    }
                }
            }
        }
    }

    /// Returns a text without its full stop, so that another sentence part can follow.
    private static func sentence(_ text: String) -> String {
        text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    private func run(
        _ pass: MappedPass, _ manager: MigrationManager, _ connection: Connection,
        _ made: inout [Int: EntityMigrationPolicy]
    ) throws -> Int {
        func policy(_ entry: MappingLayouts.Entry) -> EntityMigrationPolicy {
            if let policy = made[entry.index] { return policy }
            let type = entry.mapping.entityMigrationPolicyClassName.flatMap { policies[$0] }
            let policy = (type ?? EntityMigrationPolicy.self).init()
            made[entry.index] = policy
            return policy
        }
        switch pass.work {
        case .statements(let statements):
            return try statements.reduce(0) { try $0 + $1.run(on: connection) }
        case .objects(let work, let entry):
            var count = 0
            try manager.working(on: entry, policy(entry)) { count = try run(work, entry, $0, manager) }
            return count
        }
    }

    private func run(
        _ work: MappedPass.ObjectWork, _ entry: MappingLayouts.Entry, _ policy: EntityMigrationPolicy,
        _ manager: MigrationManager
    ) throws -> Int {
        switch work {
        case .instances: return try makeInstances(entry, policy, manager)
        case .relationships:
            var count = 0
            try manager.forEachBatchOfDestinations { objects in
                count += objects.count
                for object in objects {
                    try policy.createRelationships(
                        forDestination: object, in: entry.mapping, manager: manager)
                }
            }
            try policy.endRelationshipCreation(forMapping: entry.mapping, manager: manager)
            return count
        case .validation:
            try policy.performCustomValidation(forMapping: entry.mapping, manager: manager)
            try policy.end(entry.mapping, manager: manager)
            return 0
        }
    }

    private func makeInstances(
        _ entry: MappingLayouts.Entry, _ policy: EntityMigrationPolicy, _ manager: MigrationManager
    ) throws -> Int {
        var count = 0
        try policy.begin(entry.mapping, with: manager)
        if let layout = entry.source, !layout.isAbstract {
            var request = FetchRequest<ManagedObject>(entityName: layout.name)
            request.includesSubentities = false
            request.predicate = entry.mapping.sourceFilter
            try manager.sourceContext.forEachBatch(of: request, size: Self.batchSize) { objects in
                count += objects.count
                try manager.expect(objects.map(\.key))
                for object in objects {
                    try policy.createDestinationInstances(
                        forSource: object, in: entry.mapping, manager: manager)
                }
                try manager.store()
                for object in objects { manager.sourceContext.refresh(object) }
            }
        }
        try policy.endInstanceCreation(forMapping: entry.mapping, manager: manager)
        return count
    }
}

extension Error {
    /// The server's error if an object is locked, so that another attempt may succeed.
    var lockFailure: PostgresError? {
        let cause =
            (self as? FetchError)?.databaseError ?? (self as? SaveError)?.databaseError ?? self
            as? PostgresError
        let states = [SQLState.lockNotAvailable, SQLState.deadlockDetected]
        return cause.flatMap { cause in states.contains { $0 == cause.sqlState } ? cause : nil }
    }
}
