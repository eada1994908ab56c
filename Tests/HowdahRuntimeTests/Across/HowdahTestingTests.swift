import Howdah
import TestSupport
import Testing

@testable import HowdahTesting

/// What `HowdahTesting` gives to other people's tests.
@Suite struct HowdahTestingTests {
    /// A server that was not there for a moment fails one test and not all that come after it.
    @Test func aTemplateThatFailedOnceIsTriedAgain() async throws {
        let registry = TemplateRegistry()
        await #expect(throws: CancellationError.self) {
            try await registry.name(for: "a") { throw CancellationError() }
        }
        #expect(try await registry.name(for: "a") { "made" } == "made")
        #expect(try await registry.name(for: "a") { "made twice" } == "made")
    }

    @Test func aCancelledTestDoesNotWaitForItsTurn() async throws {
        let gate = StoreGate(1)
        try await gate.enter()
        let waiting = Task { try await gate.enter() }
        try await Task.sleep(for: .milliseconds(20))
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await gate.leave()
        try await gate.enter()
    }

    @Test func aTranscriptShowsTheSQLAndTheRows() async throws {
        try await withTestStore(Company.model()) { container in
            try await container.perform { context in
                for (name, visits) in [("Ada", 3), ("Grace", 12)] {
                    let employee = Employee(context: context)
                    employee.firstName = name
                    employee.visits = visits
                }
                try context.save()
            }
            var request = FetchRequest<Employee>()
            request.predicate = .format("visits > %d", 1)
            request.sortDescriptors = [.key("visits", ascending: false)]
            let transcript = try await container.transcript(
                of: request, showing: ["firstName", "visits", "lastName"])
            let lines = transcript.split(separator: "\n").map(String.init)
            #expect(lines.count == 4)
            #expect(lines[0].hasPrefix("SELECT t0.\"_id\", t0.\"_version\", t0.\"first_name\""))
            #expect(
                lines[0].hasSuffix(
                    "WHERE t0.\"visits\" > $1 ORDER BY t0.\"visits\" DESC NULLS LAST, t0.\"_id\""))
            #expect(
                Array(lines.dropFirst()) == [
                    "firstName | visits | lastName", "Grace     | 12     | nil", "Ada       | 3      | nil",
                ])
        }
    }

    @Test func anotherNumberOfStatementsIsAnErrorThatListsThem() async throws {
        try await withTestStore(Company.model()) { container in
            let error = await #expect(throws: UnexpectedStatements.self) {
                try await expectStatements(1, on: container) {
                    try await container.perform { context in
                        _ = try context.count(Employee.self)
                        _ = try context.count(Room.self)
                    }
                }
            }
            let description = try #require(error).description
            #expect(
                description.hasPrefix(
                    "Expected 1 statement, but 2 were sent:\n1 rows: SELECT pg_catalog.count(*) FROM"))
            #expect(description.contains("\"room\""))
        }
    }

    @Test func eachStoreIsEmptyAndItsOwn() async throws {
        try await withTestStore(Company.model()) { first in
            try await first.perform { context in
                Project(context: context).title = "Moon"
                try context.save()
            }
            try await withTestStore(Company.model()) { second in
                let count = try await second.perform { context in try context.count(Project.self) }
                #expect(count == 0)
            }
            let count = try await first.perform { context in try context.count(Project.self) }
            #expect(count == 1)
        }
    }

    @Test func theDatabaseIsDroppedAlsoAfterAnError() async throws {
        struct Stop: Error {}
        let names = Names()
        await #expect(throws: Stop.self) {
            try await withTestDatabase(for: Company.model()) { database in
                await names.add(database.url)
                throw Stop()
            }
        }
        let url = try #require(await names.all.first)
        await #expect(throws: StoreError.self) {
            try await PersistentContainer.open(url, model: Company.model())
        }
    }

    private actor Names {
        private(set) var all: [String] = []

        func add(_ name: String) { all.append(name) }
    }
}
