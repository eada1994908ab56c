import HowdahMigration
import HowdahModel
import TestSupport
import Testing

/// Which stages a store needs follows from the versions alone.
@Suite struct MigrationPathTests {
    /// Versions of one entity, each with one attribute more than the one before.
    private static func model(_ number: Int) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            entity("Person", (0..<number).map { .attribute("a\($0)", .string) })
        ])
    }

    private static func version(_ number: Int, hasModel: Bool = true) throws -> MigrationPath.Version {
        let model = try model(number)
        return MigrationPath.Version(
            name: "V\(number)", checksum: model.versionChecksum, model: hasModel ? model : nil)
    }

    private static func lightweight(_ numbers: Int..., label: String? = nil) throws
        -> MigrationPath.ListedStage
    {
        MigrationPath.ListedStage(.lightweight, try numbers.map { try version($0) }, label: label)
    }

    private static func custom(
        _ from: Int, _ to: Int, label: String? = nil, handlers: StageHandlers = StageHandlers()
    ) throws -> MigrationPath.ListedStage {
        MigrationPath.ListedStage(
            .custom, [try version(from), try version(to)], label: label, handlers: handlers)
    }

    private static func stages(
        _ path: MigrationPath, from: Int, to: Int
    ) throws -> [String] {
        try path.plan(from: model(from), to: model(to)).stages.map { "\($0.label) \($0.kind.rawValue)" }
    }

    @Test func everyListedVersionIsAStage() throws {
        let path = try MigrationPath([
            Self.lightweight(1, 2, 3), Self.custom(3, 4, label: "split"), Self.lightweight(4, 5),
        ])
        #expect(
            try Self.stages(path, from: 1, to: 5) == [
                "V1 → V2 lightweight", "V2 → V3 lightweight", "split custom", "V4 → V5 lightweight",
            ])
        #expect(try Self.stages(path, from: 3, to: 4) == ["split custom"])
        #expect(try Self.stages(path, from: 4, to: 4) == [])
        let plan = try path.plan(from: Self.model(2), to: Self.model(5))
        for (stage, next) in zip(plan.stages, plan.stages.dropFirst()) {
            #expect(stage.plan.toChecksum == next.plan.fromChecksum)
        }
        #expect(try path.plan(from: Self.model(2), to: Self.model(5)).json == plan.json)
    }

    /// Between the last version of a stage and another first version of the next.
    @Test func inferenceLeadsFromStageToStage() throws {
        let path = try MigrationPath([
            Self.custom(1, 2, label: "first"), Self.custom(3, 4, label: "second"), Self.lightweight(5),
        ])
        #expect(
            try Self.stages(path, from: 1, to: 5) == [
                "first custom", "V2 → V3 lightweight", "second custom", "V4 → V5 lightweight",
            ])
    }

    @Test func handlersAreToldInThePlan() throws {
        let path = try MigrationPath([
            Self.custom(1, 2, handlers: StageHandlers(willMigrate: { _, _ in })),
            Self.custom(2, 3, handlers: StageHandlers(didMigrate: { _, _ in })),
        ])
        let plan = try path.plan(from: Self.model(1), to: Self.model(3))
        #expect(plan.stages.map(\.hasWillMigrateHandler) == [true, false])
        #expect(plan.stages.map(\.hasDidMigrateHandler) == [false, true])
    }

    @Test func contradictionsAreRefused() throws {
        let twice = #expect(throws: MigrationError.self) {
            try MigrationPath([Self.lightweight(1, 2, 3), Self.lightweight(4, 2)])
        }
        #expect(twice?.code == .invalidStages && twice?.message.contains("V2 is listed twice") == true)
        let still = #expect(throws: MigrationError.self) { try MigrationPath([Self.custom(2, 2)]) }
        #expect(still?.code == .invalidStages && still?.message.contains("are the same version") == true)
        let empty = #expect(throws: MigrationError.self) { try MigrationPath([]) }
        #expect(empty?.code == .invalidStages)
    }

    @Test func versionsOutsideThePathAreRefused() throws {
        let path = try MigrationPath([Self.lightweight(1, 2, 4)])
        let unlisted = #expect(throws: MigrationError.self) {
            try path.plan(from: Self.model(5), to: Self.model(2))
        }
        #expect(unlisted?.code == .unlistedVersion)
        #expect(
            unlisted?.message.hasSuffix(
                "The nearest listed version is V4. The differences from there to the store: Person.a4 added. "
                    + "Add a stage that starts at this version, or use the program that created the store.")
                == true,
            "\(unlisted?.message ?? "")")
        let target = #expect(throws: MigrationError.self) {
            try path.plan(from: Self.model(1), to: Self.model(3))
        }
        #expect(target?.code == .unlistedVersion)
        let newer = #expect(throws: MigrationError.self) {
            try path.plan(from: Self.model(4), to: Self.model(2))
        }
        #expect(newer?.code == .newerStore && newer?.message.contains("V4, which is newer than V2") == true)
    }

    /// The store's model and the target are at hand, the one between is not.
    @Test func aModelIsOnlyNeededOnTheWay() throws {
        let path = try MigrationPath([
            MigrationPath.ListedStage(
                .lightweight, try [1, 2, 3].map { try Self.version($0, hasModel: false) }, label: nil)
        ])
        #expect(try Self.stages(path, from: 2, to: 3) == ["V2 → V3 lightweight"])
        let missing = #expect(throws: MigrationError.self) {
            try path.plan(from: Self.model(1), to: Self.model(3))
        }
        #expect(missing?.code == .missingModel && missing?.message.contains("V2") == true)
    }
}
