import Foundation
import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahSampleData
import HowdahSchema
import HowdahStages
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// The same steps by a second role, with a program of a sibling version that opens the store in between: nothing is lost, and
/// nothing is taken back. A sibling is built on the old version and has an entity of its own.
@Suite struct SecondProgramTests {
    /// Each kind of step.
    private static let few: Set<String> = [
        "attribute added", "attribute removed", "attribute renamed", "composite removed", "elements",
        "subentity removed", "property moved down to one", "into another hierarchy", "many-to-many removed",
        "relationships renamed", "entity removed",
    ]

    static let steps: [ModelStep] = {
        let all = ModelStep.attributes + ModelStep.entities + ModelStep.relationships
        if TestTier.isNightly { return all.filter(\.isVisible) }
        let known = all.filter { few.contains($0.testDescription) }
        return TestTier.current > .quick
            ? known : known.enumerated().filter { $0.offset % 4 == 0 }.map(\.element)
    }()

    @Test(arguments: steps, [false, true]) func itGoesThrough(_ step: ModelStep, defers: Bool) async throws {
        let old = try ManagedObjectModel(entities: step.old())
        let new = try ManagedObjectModel(entities: step.new())
        let sibling = try ManagedObjectModel(
            entities: step.old() + [entity("OwnOfTheSibling", [.attribute("text", .string)])])
        let roles = try Roles()
        defer { roles.drop() }
        // Programs of three versions, as the owner or as a member of it.
        let before = try await Self.contents(roles.url("owner"), old) { container in
            try await SampleData(model: old, seed: 1, countPerEntity: 4).insert(into: container)
        }
        var opening = StoreOptions()
        opening.shouldMigrateStoreAutomatically = true
        _ = try await Self.contents(roles.url("owner"), sibling, opening) { container in
            try await container.perform { context in
                context.insert("OwnOfTheSibling")["text"] = "kept"
                try context.save()
            }
        }
        let connection = try Connection(ConnectionConfiguration(roles.url("member")))
        defer { connection.close() }
        var options = MigrationOptions()
        options.shouldDeferLightweightMigration = defers
        let refusal = try StoreMigration(connection, to: new, options: options).refusal()
        let words = Set(refusal?.refusals.map(\.confirmation) ?? [])
        #expect(words.contains("OwnOfTheSibling"))
        options.confirmedDrops = words
        _ = try StoreMigration(connection, to: new, options: options).apply()
        // Programs that start again, of both versions before, while work is pending and after it.
        for isDone in [false, true] {
            for model in [old, sibling] where model.versionChecksum != new.versionChecksum {
                let error = await #expect(throws: StoreError.self) {
                    try await PersistentContainer.open(roles.url("owner"), model: model, options: opening)
                }
                #expect([.migrationFailed, .incompatibleModel].contains(error?.code), "\(error as Any)")
            }
            if !isDone { try DeferredWork(connection).finish() }
        }
        let after = try await Self.contents(roles.url("owner"), new)
        let faults = SurvivalOracle(pairing: ModelPairing(from: old, to: new), before: before, after: after)
            .faults()
        #expect(faults == [])
        let fresh = try await MigrationTrial.freshCatalogue(of: new)
        #expect(try MigrationTrial.catalogue(roles.database).differences(from: fresh) == [])
        #expect(try roles.strangers() == [])
    }

    private static func contents(
        _ url: String, _ model: ManagedObjectModel, _ options: StoreOptions = StoreOptions(),
        after body: (PersistentContainer) async throws -> Void = { _ in }
    ) async throws -> StoreContents {
        let container = try await PersistentContainer.open(url, model: model, options: options)
        return try await container.closing {
            try await body($0)
            return try await StoreContents.of($0)
        }
    }

    /// A database of a role, and another role that is its member.
    private struct Roles {
        let database: TemporaryDatabase
        private let suffix = "\(UInt32.random(in: 0 ... .max))"

        init() throws {
            database = try EphemeralPostgres.shared().createDatabase()
            try run(
                """
                CREATE ROLE owner_\(suffix) LOGIN; CREATE ROLE member_\(suffix) LOGIN; GRANT owner_\(suffix) TO member_\(suffix);
                GRANT ALL ON SCHEMA public TO owner_\(suffix)
                """)
        }

        func url(_ role: String) -> String {
            database.url.replacing("user=postgres", with: "user=\(role)_\(suffix)")
        }

        private func run(_ script: String) throws {
            let admin = try Connection(ConnectionConfiguration(database.url))
            defer { admin.close() }
            try admin.executeScript(script)
        }

        func strangers() throws -> [String] {
            let admin = try Connection(ConnectionConfiguration(database.url))
            defer { admin.close() }
            return try admin.query(
                "SELECT c.relname::text FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace "
                    + "AND c.relowner <> 'owner_\(suffix)'::regrole", cached: false
            ).map { $0[0].string() }
        }

        func drop() {
            try? run(
                "DROP OWNED BY owner_\(suffix), member_\(suffix); DROP ROLE owner_\(suffix), member_\(suffix)"
            )
            try? database.drop()
        }
    }
}
