import Foundation
import Howdah
import HowdahTesting
import StagedModels
import Testing

/// The commands as part of a program with stages in Swift.
@Suite struct MigrationProgramTests {
    @Test func aProgramMigratesWithItsHandlers() async throws {
        let folder = try ToolFolder()
        let database = try EphemeralPostgres.shared().createDatabase()
        let container = try await PersistentContainer.open(database.url, model: Logbook.V1.model)
        try await Logbook.fill(container)
        await container.close()
        func run(_ command: String, _ more: String...) throws -> Tool.Outcome {
            try Tool.run(
                ["migrate", command, "--database", database.url] + more, in: folder,
                program: "MigrationProgram")
        }
        let status = try run("status")
        #expect(status.status == 2 && status.output.contains("stage  V1 → V2"), "\(status)")
        let rehearsed = try run("rehearse", "--live", "--quiet")
        #expect(rehearsed.status == 0 && rehearsed.output.contains("stage 3 of 3"), "\(rehearsed)")
        let applied = try run("apply", "--quiet")
        #expect(applied.status == 0 && applied.output.hasPrefix("migrated: 3 stages"), "\(applied)")
        #expect(try run("status").status == 0)
        #expect(try run("status", "--version", "V9").complaint.contains("Use one of these: V1, V2, V3, V4"))
        let present = try await PersistentContainer.open(database.url, model: Logbook.V4.model)
        let contents = try await Logbook.contents(present)
        await present.close()
        #expect(
            contents.map { $0.drop { $0 != " " }.dropFirst() }.map(String.init).sorted()
                == Logbook.expected.sorted())
        try database.drop()
    }
}
