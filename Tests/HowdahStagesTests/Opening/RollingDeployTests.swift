import Foundation
import Howdah
import HowdahMigration
import HowdahTesting
import PQClient
import StagedModels
import TestSupport
import Testing

@testable import HowdahRuntime

/// While a new version is rolled out, programs of the one before go on for as long as the store has all that they know.
@Suite(.needsSession) struct RollingDeployTests {
    /// A process of the earlier version.
    private final class OldProgram {
        private let process = Process()
        private let input = Pipe()
        private let lines: LineReader

        init(_ url: String, _ model: ManagedObjectModel) throws {
            let output = Pipe()
            lines = LineReader(output)
            process.executableURL = CrashWriter.program
            process.arguments = [url, "guest", model.canonicalJSON]
            process.standardInput = input
            process.standardOutput = output
            try process.run()
        }

        func ask(_ line: String) async -> String {
            input.fileHandleForWriting.write(Data((line + "\n").utf8))
            return await answer()
        }

        /// The next line that it prints.
        func answer() async -> String { await lines.next() ?? "" }

        deinit { try? input.fileHandleForWriting.close() }
    }

    private static func migrate(_ store: LogbookStore, to version: any VersionedSchema.Type) async throws {
        var options = StoreOptions()
        options.stagedMigrationManager = StagedMigrationManager(Logbook.Plan.self)
        try await PersistentContainer.open(store.url, model: version.model, options: options).close()
    }

    @Test func anOldInstanceServesUntilTheStoreIsNoLongerCompatible() async throws {
        try await LogbookStore.with { store in
            let old = try OldProgram(store.url, Logbook.V1.model)
            #expect(await old.answer() == "open")
            #expect(await old.ask("D-OLD1") == "7")
            // V2 has all of V1, and flights.
            try await Self.migrate(store, to: Logbook.V2.self)
            #expect(await old.ask("D-OLD2") == "8")
            let restarted = try OldProgram(store.url, Logbook.V1.model)
            #expect(await restarted.answer() == "open")
            #expect(await restarted.ask("D-OLD3") == "9")
            // V3 is without the flight data that V1 reads.
            try await Self.migrate(store, to: Logbook.V3.self)
            for program in [old, restarted] {
                let answer = await program.ask("D-OLD4")
                #expect(
                    answer.contains("was migrated after this program opened it")
                        && answer.contains("Aircraft.flightData is missing in the store"), "\(answer)")
            }
            let late = try await OldProgram(store.url, Logbook.V1.model).answer()
            #expect(late.hasPrefix("refused: the store cannot be used (incompatibleModel)"), "\(late)")
            #expect(late.contains("Aircraft.flightData is missing in the store"), "\(late)")
            #expect(try store.sql.value("SELECT count(*)::text FROM aircraft") == "9")
            #expect(try await store.boundary() == 2)
        }
    }

    /// What the old program writes the new one reads, and what it deletes takes along what it never knew.
    @Test func deletionsFollowTheRulesOfTheStore() async throws {
        try await LogbookStore.with { store in
            try await Self.migrate(store, to: Logbook.V2.self)
            var options = StoreOptions()
            options.accepting = .compatible
            let old = try await PersistentContainer.open(store.url, model: Logbook.V1.model, options: options)
            try await old.perform { context in
                let all = try context.fetch(FetchRequest<ManagedObject>(entityName: "Aircraft"))
                for aircraft in all where aircraft["registration"] as? String != "D-E3" {
                    context.delete(aircraft)
                }
                try context.save()
            }
            await old.close()
            #expect(try store.sql.value("SELECT count(*)::text FROM aircraft") == "1")
            #expect(try store.sql.value("SELECT count(*)::text FROM flight") == "3")
        }
    }

    /// A rule of the new version that the old program does not know is the store's to keep.
    @Test func aRequirementThatCameMeanwhileIsRefusedClearly() async throws {
        let versions = try [[], [PropertyDescription.attribute("kind", .string, optional: false)]].map {
            try ManagedObjectModel(entities: [
                EntityDescription("Person", properties: [.attribute("name", .string)] + $0)
            ])
        }
        try await withTestDatabase(for: versions[0]) { database in
            let old = try await PersistentContainer.open(database.url, model: versions[0])
            var options = StoreOptions()
            options.shouldMigrateStoreAutomatically = true
            try await PersistentContainer.open(database.url, model: versions[1], options: options).close()
            let error = await #expect(throws: StoreError.self) {
                try await old.perform { context in
                    context.insert("Person")["name"] = "Ada"
                    try context.save()
                }
            }
            await old.close()
            #expect(error?.code == .incompatibleModel)
            #expect(
                error?.message.contains(
                    "Person.kind is not in the program's model and is required without a default") == true)
            #expect(error?.databaseError?.column == "kind")
        }
    }

    /// A mistake of the program's own is told as ever.
    @Test func whatIsNotAboutTheModelIsToldAsEver() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Person", properties: [.attribute("name", .string)], uniquenessConstraints: [["name"]])
        ])
        let later = try ManagedObjectModel(entities: [
            EntityDescription(
                "Person", properties: [.attribute("name", .string), .attribute("age", .integer16)],
                uniquenessConstraints: [["name"]])
        ])
        try await withTestDatabase(for: model) { database in
            let old = try await PersistentContainer.open(database.url, model: model)
            var options = StoreOptions()
            options.shouldMigrateStoreAutomatically = true
            try await PersistentContainer.open(database.url, model: later, options: options).close()
            let error = await #expect(throws: SaveError.self) {
                try await old.perform { context in
                    for _ in 0..<2 { context.insert("Person")["name"] = "Ada" }
                    try context.save()
                }
            }
            await old.close()
            #expect(error?.code == .uniqueness)
        }
    }

    /// Without accepting others, too, an old program that starts again does not undo what came since; an operator does, and
    /// confirms what is lost.
    @Test func goingBackWantsTheCommandAndAConfirmation() async throws {
        let first = try ManagedObjectModel(entities: [
            EntityDescription("Person", properties: [.attribute("name", .string)])
        ])
        let second = try ManagedObjectModel(entities: [
            EntityDescription(
                "Person", properties: [.attribute("name", .string), .attribute("secret", .string)])
        ])
        try await withTestDatabase(for: first) { database in
            var options = StoreOptions()
            options.shouldMigrateStoreAutomatically = true
            let present = try await PersistentContainer.open(database.url, model: second, options: options)
            try await present.perform { context in
                context.insert("Person")["secret"] = "kept"
                try context.save()
            }
            await present.close()
            let error = await #expect(throws: StoreError.self) {
                _ = try await PersistentContainer.open(database.url, model: first, options: options)
            }
            #expect(error?.code == .migrationFailed && error?.message.contains("--back") == true)
            let again = try await PersistentContainer.open(database.url, model: second, options: options)
            let kept = try await again.perform { try $0.fetch("Person").map { $0["secret"] as? String } }
            await again.close()
            #expect(kept == ["kept"])
            options.confirmedDrops = ["Person.secret"]
            let confirmed = await #expect(throws: StoreError.self) {
                _ = try await PersistentContainer.open(database.url, model: first, options: options)
            }
            #expect(confirmed?.code == .migrationFailed)

            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            var way = MigrationOptions()
            way.goesBack = true
            let unsaid = #expect(throws: MigrationError.self) {
                try StoreMigration(connection, to: first, options: way).apply()
            }
            #expect(unsaid?.message.contains("Person.secret") == true)
            way.confirmedDrops = options.confirmedDrops
            _ = try StoreMigration(connection, to: first, options: way).apply()
            try await PersistentContainer.open(database.url, model: first).close()
        }
    }

    /// An old program that migrates on opening neither undoes a compatible version nor one that left its own behind.
    @Test func aStoreIsNotTakenBack() async throws {
        try await LogbookStore.with { store in
            var options = StoreOptions()
            options.accepting = .compatible
            options.shouldMigrateStoreAutomatically = true
            for version in [Logbook.V2.self, Logbook.V3.self] as [any VersionedSchema.Type] {
                try await Self.migrate(store, to: version)
                let old = try? await PersistentContainer.open(
                    store.url, model: Logbook.V1.model, options: options)
                await old?.close()
                #expect((old != nil) == (version == Logbook.V2.self))
                #expect(
                    try store.sql.value("SELECT checksum FROM _howdah_store") == version.model.versionChecksum
                )
            }
        }
    }
}
