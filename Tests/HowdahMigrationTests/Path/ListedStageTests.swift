import HowdahMigration
import HowdahModel
import TestSupport
import Testing

/// The inferred stage that replaces several stages follows from these stages alone.
@Suite struct ListedStageTests {
    private static func version(_ name: String, _ properties: String...) throws -> MigrationPath.Version {
        let model = try ManagedObjectModel(entities: [
            entity("Person", properties.map { .attribute($0, .string) })
        ])
        return MigrationPath.Version(name: name, checksum: model.versionChecksum, model: model)
    }

    @Test("The replacement leads from the first version to the last")
    func ends() throws {
        let versions = [
            try Self.version("1", "a"), try Self.version("2", "a", "b"), try Self.version("3", "a", "b", "c"),
        ]
        let stage = MigrationPath.ListedStage(replacing: [
            .init(.lightweight, Array(versions[...1]), label: "first"),
            .init(.lightweight, Array(versions[1...]), label: "second"),
        ])
        #expect(stage.versions.map(\.name) == ["1", "3"])
        #expect(stage.kind == .lightweight && stage.label == nil && stage.confirmedDrops == [])
    }

    @Test("Only drops of names that the first or the last version has stay confirmed")
    func drops() throws {
        let versions = [
            try Self.version("1", "a", "old"), try Self.version("2", "a", "old", "passing"),
            try Self.version("3", "a"),
        ]
        let stage = MigrationPath.ListedStage(replacing: [
            .init(.lightweight, Array(versions[...1]), label: nil),
            .init(
                .custom, Array(versions[1...]), label: nil,
                confirmedDrops: ["Person.old", "Person.passing"]),
        ])
        #expect(stage.kind == .custom && stage.confirmedDrops == ["Person.old"])
        let passing = MigrationPath.ListedStage(replacing: [
            .init(.custom, Array(versions[...1]), label: nil, confirmedDrops: ["Person.passing"])
        ])
        #expect(passing.confirmedDrops == ["Person.passing"], "the last version of these stages has it")
    }
}
