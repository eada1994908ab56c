import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahSampleData
import HowdahSchema
import HowdahStages
import HowdahTesting
import PQClient
import TestSupport

/// Takes a store of samples through all versions of a model, one at a time and in one run.
struct StagedTrial {
    let models: [ManagedObjectModel]
    let count: Int

    struct Outcome {
        var faults: [String] = []
        /// What of the objects and values in the beginning is there in the end.
        var survival = ""
    }

    /// - Parameter models: versions in order; where one is an earlier one again, what lies between is left out.
    init(models: [ManagedObjectModel], count: Int) {
        var path: [(checksum: String, model: ManagedObjectModel)] = []
        for model in models {
            let checksum = model.versionChecksum
            if let place = path.firstIndex(where: { $0.checksum == checksum }) {
                path.removeLast(path.count - place)
            }
            path.append((checksum, model))
        }
        self.models = path.map(\.model)
        self.count = count
    }

    func run() async throws -> Outcome {
        let server = try EphemeralPostgres.shared()
        let filled = try server.createDatabase()
        defer { try? filled.drop() }
        let before = try await contents(filled, models[0]) { container in
            try await SampleData(model: models[0], seed: 1, countPerEntity: count).insert(into: container)
        }
        let (single, whole) = (
            try server.createDatabase(from: filled.name), try server.createDatabase(from: filled.name)
        )
        defer {
            try? single.drop()
            try? whole.drop()
        }
        var outcome = Outcome()
        var last = before
        for (place, pair) in zip(models, models.dropFirst()).enumerated() {
            let settlement = Settlement(pair.1)
            let after = try await contents(single, pair.1, through: [stage(pair.0, pair.1, settlement)])
            let oracle = SurvivalOracle(
                pairing: ModelPairing(from: pair.0, to: pair.1), before: last, after: after,
                settled: settlement.places)
            outcome.faults += oracle.faults().map { "stage \(place + 1): \($0)" }
            last = after
        }
        let target = models[models.count - 1]
        let stages = zip(models, models.dropFirst()).map { stage($0, $1, Settlement($1)) }
        let end = try await contents(whole, target, through: stages)
        outcome.faults += SurvivalOracle(
            pairing: ModelPairing(from: target, to: target), before: last, after: end
        ).faults().map { "in one run: \($0)" }
        let fresh = try await MigrationTrial.freshCatalogue(of: target)
        for database in [single, whole] {
            outcome.faults += try MigrationTrial.catalogue(database).differences(from: fresh)
        }
        outcome.survival = last.survival(of: before)
        return outcome
    }

    private func stage(
        _ old: ManagedObjectModel, _ new: ManagedObjectModel, _ settlement: Settlement
    ) -> CustomMigrationStage {
        var stage = CustomMigrationStage(
            migratingFrom: ManagedObjectModelReference(old, versionChecksum: old.versionChecksum),
            to: ManagedObjectModelReference(new, versionChecksum: new.versionChecksum))
        stage.confirmedDrops = Set(ModelDifference(from: old, to: new).refusals.map(\.confirmation))
            .union(ModelLoss.all(from: old, to: new).map(\.place))
        stage.didMigrateHandler = { try settlement.run($0) }
        return stage
    }

    private func contents(
        _ database: TemporaryDatabase, _ model: ManagedObjectModel,
        through stages: [CustomMigrationStage] = [],
        after body: (PersistentContainer) async throws -> Void = { _ in }
    ) async throws -> StoreContents {
        var options = StoreOptions()
        if !stages.isEmpty { options.stagedMigrationManager = StagedMigrationManager(stages) }
        let container = try await PersistentContainer.open(database.url, model: model, options: options)
        return try await container.closing {
            try await body($0)
            return try await StoreContents.of($0)
        }
    }
}
