import Foundation
import HowdahMigration
import HowdahModel
import HowdahSchema
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Pending work that rows do not allow, and a next model that gives it up.
@Suite struct GivenUpWorkTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let drops: Set<String>
        var breaksRule = false
        let change: @Sendable (inout [EntityDescription]) -> Void
    }

    static let cases = [
        Case(testDescription: "unique no more", drops: []) { $0[0].uniquenessConstraints = [] },
        Case(testDescription: "rule no more", drops: [], breaksRule: true) {
            $0[0].uniquenessConstraints = []
            $0[0].properties[2] = .attribute("height", .integer32)
        },
        Case(
            testDescription: "attributes no more", drops: ["Person.title", "Person.height"], breaksRule: true
        ) {
            $0[0].uniquenessConstraints = []
            $0[0].properties.removeAll { ["title", "height"].contains($0.name) }
        },
        Case(testDescription: "not required any more", drops: []) {
            $0[0].uniquenessConstraints = []
            $0[0].properties[1] = .attribute("age", .integer32)
            $0[0].fetchIndexes = []
        },
        Case(testDescription: "entity no more", drops: ["Person"], breaksRule: true) {
            $0.remove(at: 0)
            $0[0].properties.removeAll { $0.name == "members" }
        },
    ]

    /// A store with work that cannot be done: titles that are not unique, heights beyond the rule if asked for.
    private static func withPendingWork(
        breaksRule: Bool = false,
        _ body: (TemporaryDatabase, Connection) async throws -> Void
    ) async throws {
        try await Register.with(twins: true) { database, connection in
            if breaksRule {
                _ = try connection.query("UPDATE person SET height = 0 WHERE name = '7'", cached: false)
            }
            let error = #expect(throws: MigrationError.self) { try Register.runner(connection).apply() }
            #expect(error?.code == .unfinished)
            try await body(database, connection)
        }
    }

    @Test(arguments: cases, [false, true])
    func itDoesNotBlock(_ example: Case, defers: Bool) async throws {
        try await Self.withPendingWork(breaksRule: example.breaksRule) { database, connection in
            var entities = try Register.new().entities.sorted { $0.name > $1.name }
            example.change(&entities)
            let model = try ManagedObjectModel(entities: entities)
            var options = MigrationOptions()
            options.confirmedDrops = example.drops
            options.shouldDeferLightweightMigration = defers
            let stored = try Register.new()
            let report = try StoreMigration(
                connection, MigrationPath(from: stored, to: model), to: model, options: options
            ).rehearse()
            #expect(report.isClean, "\(String(describing: report.ending))")
            _ = try StoreMigration(connection, to: model, options: options).apply()
            try DeferredWork(connection).finish()
            #expect(try PendingWork(connection, in: "public").steps().isEmpty)
            let fresh = try await MigrationTrial.freshCatalogue(of: model)
            #expect(try MigrationTrial.catalogue(database).differences(from: fresh) == [])
            let functions =
                "SELECT proname::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname LIKE '%required%'"
            #expect(try connection.query(functions).rowCount == 0)
        }
    }

    @Test("An index of another program stays when the step of its name is given up")
    func foreignIndex() async throws {
        try await Register.with { _, connection in
            try connection.executeScript("CREATE INDEX person_title_key ON person (height)")
            let error = #expect(throws: MigrationError.self) { try Register.runner(connection).apply() }
            #expect(error?.code == .unfinished)
            var entities = try Register.new().entities.sorted { $0.name > $1.name }
            entities[0].uniquenessConstraints = []
            let model = try ManagedObjectModel(entities: entities)
            try StoreMigration(connection, to: model).apply()
            try DeferredWork(connection).finish()
            let drift = try StoreVerification(connection).drift()
            #expect(drift.differences == [] && drift.additions == ["index person_title_key"])
        }
    }

    @Test(
        "A fill is given up only if all of its columns are dropped, whatever words names and values have",
        arguments: ["public", "x WHERE y SET z", "\"t SET"])
    func words(_ schemaName: String) throws {
        func model(_ attributes: [PropertyDescription]) throws -> ManagedObjectModel {
            try ManagedObjectModel(entities: [
                entity("Person", [.attribute("name", .string)] + attributes)
            ])
        }
        let title = PropertyDescription.attribute(
            "title", .string, optional: false, default: "a WHERE ('b\" = ")
        let age = PropertyDescription.attribute("age", .integer32, optional: false, default: 30)
        let optional = [
            PropertyDescription.attribute("title", .string), .attribute("age", .integer32),
        ]
        let filled = try MigrationPlan(
            from: model(optional), to: model([title, age]), schemaName: schemaName, shouldDefer: true)
        let fills = filled.steps.filter { if case .batches = $0.work { true } else { false } }
        try #require(fills.count == 1)
        let step = String(decoding: try JSONEncoder().encode(fills[0]), as: UTF8.self)
        let pending = try JSONDecoder().decode(
            PendingMigrationStep.self, from: Data("{\"number\": 1, \"step\": \(step)}".utf8))
        func givenUp(_ attributes: [PropertyDescription]) throws -> Int {
            let plan = try MigrationPlan(
                from: model([title, age]), to: model(attributes), schemaName: schemaName,
                confirmedDrops: ["Person.title", "Person.age"])
            return GivenUpWork([pending], by: plan).steps.count
        }
        #expect(try givenUp([]) == 1)
        #expect(try givenUp([age]) == 0)
        #expect(try givenUp([title]) == 0)
    }

    /// A next model that keeps the rule has to wait, and nothing is changed.
    @Test func whatIsKeptStillBlocks() async throws {
        try await Self.withPendingWork { database, connection in
            let model = try ManagedObjectModel(
                entities: try Register.new().entities + [entity("More", [.attribute("text", .string)])])
            let error = #expect(throws: MigrationError.self) {
                try StoreMigration(connection, to: model).apply()
            }
            #expect(
                error?.code == .unfinished && error?.message.contains("Person.title must be unique") == true)
            let stored = try connection.query("SELECT checksum FROM _howdah_store").map { $0[0].string() }
            #expect(try stored == [Register.new().versionChecksum])
        }
    }
}
