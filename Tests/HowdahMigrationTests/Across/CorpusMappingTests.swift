import Foundation
import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahSampleData
import HowdahStages
import HowdahTesting
import ModelCorpus
import Synchronization
import TestSupport
import Testing

/// The mapping models of real programs, run on filled stores.
@Suite(.enabled(if: Corpus.folder != nil, "\(Corpus.absence)"))
struct CorpusMappingTests {
    /// A policy that makes what the mapping says, whatever the program's own would do.
    private final class Standard: EntityMigrationPolicy {
        static let answers = Mutex<Set<String>>([])

        override class var selectors: Set<String> { answers.withLock { $0 } }
    }

    /// What the program's own policy would give, and the standard one does not.
    private static let unfit = [
        "Migration2to3": "Post.color is required",
        "Modelv1v4": "CachedCarbObject.createdByCurrentApp is required",
        "AltStoreToAltStore2": "StoreApp.iconURL is required",
        "AltStore4ToAltStore5": "InstalledApp.isActive is required",
    ]

    /// The entities that nothing is said of.
    private static let forgotten = [
        "Moody 4-Moody 5": "Continent", "1.1 to 1.2": "ImageThumbnail", "WordPress-20-21": "NoteSimperium",
    ]

    @Test func allButOneHaveBothModels() throws {
        let without = CorpusMapping.all.filter { (try? $0.models()) == nil }
        #expect(CorpusMapping.all.count == 38)
        #expect(without.map(\.name) == ["WordPress-11-12"])
        let custom = try CorpusMapping.all.filter {
            try !$0.mappingModel().entityMigrationPolicyClassNames.isEmpty
        }
        #expect(custom.count == 21)
    }

    /// Those with both models; in a quick run one of each kind.
    private static let runnable: [CorpusMapping] = {
        let complete = CorpusMapping.all.filter { (try? $0.models()) != nil }
        guard TestTier.current == .quick else { return complete }
        return [
            complete.first { unfit[$0.name] == nil && forgotten[$0.name] == nil },
            complete.first { unfit[$0.name] != nil }, complete.first { forgotten[$0.name] != nil },
        ].compactMap { $0 }
    }()

    @Test(arguments: runnable) func itRuns(_ mapping: CorpusMapping) async throws {
        let (old, new) = try mapping.models()
        let mappingModel = try mapping.mappingModel()
        let names = mappingModel.entityMigrationPolicyClassNames
        Standard.answers.withLock { known in
            for entity in mappingModel.entityMappings {
                for property in entity.attributeMappings + entity.relationshipMappings {
                    known.formUnion(property.valueExpression?.policySelectors ?? [])
                }
            }
        }
        var stage = MappedMigrationStage(
            migratingFrom: ManagedObjectModelReference(old, versionChecksum: old.versionChecksum),
            to: ManagedObjectModelReference(new, versionChecksum: new.versionChecksum), mapping: mappingModel)
        if !names.isEmpty {
            let error = #expect(throws: MigrationError.self) { try stage.plan(from: old, to: new) }
            for name in names {
                #expect(error?.message.contains("The stage has no migration policy \(name)") == true)
            }
        }
        for name in names { stage.policies[name] = Standard.self }
        if let refusal = try await Self.run(stage, old, new), let words = Self.words(of: refusal) {
            if let entity = Self.forgotten[mapping.name] { #expect(words.contains(entity)) }
            stage.confirmedDrops = words
        } else {
            #expect(Self.forgotten[mapping.name] == nil)
        }
        let refusal = try await Self.run(stage, old, new)
        if let expected = Self.unfit[mapping.name] {
            #expect(refusal?.contains(expected) == true, "\(refusal ?? "migrated")")
        } else {
            #expect(refusal == nil)
        }
    }

    /// The names that a refusal asks for; nil if it asks for none.
    private static func words(of refusal: String) -> Set<String>? {
        let words = refusal.split(whereSeparator: \.isWhitespace)
        let names = zip(words, words.dropFirst()).filter { $0.0 == "--confirm-drop" }.map { String($0.1) }
        return names.isEmpty ? nil : Set(names)
    }

    /// Nil where the store was migrated and is what it must be, else why not.
    private static func run(
        _ stage: MappedMigrationStage, _ old: ManagedObjectModel, _ new: ManagedObjectModel
    ) async throws -> String? {
        let database = try EphemeralPostgres.shared().createDatabase()
        defer { try? database.drop() }
        let container = try await PersistentContainer.open(database.url, model: old)
        try await SampleData(model: old, seed: 3, countPerEntity: 4).insert(into: container)
        let before = try await StoreContents.of(container)
        await container.close()
        let catalogue = try MigrationTrial.catalogue(database)
        var options = StoreOptions()
        options.stagedMigrationManager = StagedMigrationManager([stage])
        let migrated: PersistentContainer
        do {
            migrated = try await PersistentContainer.open(database.url, model: new, options: options)
        } catch let error as StoreError {
            #expect(try MigrationTrial.catalogue(database).differences(from: catalogue) == [])
            return error.message
        }
        let after = try await StoreContents.of(migrated)
        await migrated.close()
        let fresh = try await MigrationTrial.freshCatalogue(of: new)
        #expect(try MigrationTrial.catalogue(database).differences(from: fresh) == [])
        let faults = try MappingOracle(
            mappingModel: stage.mappingModel.resolved(from: old, to: new), old: old, new: new,
            before: before, after: after
        ).faults()
        #expect(faults.isEmpty, "\(faults.prefix(8).joined(separator: "\n"))")
        return nil
    }
}
