import Foundation
import Howdah
import HowdahTesting
import PQClient
import Synchronization
import TestSupport
import Testing

@testable import HowdahRuntime

/// Limits of units of work hold in every corner: opening, questions about the model, nested runs, repeated runs.
@Suite(.timeLimit(.minutes(20))) struct LimitTests {
    private func elapsed(_ body: () async throws -> Void) async rethrows -> Duration {
        let start = ContinuousClock.now
        try await body()
        return start.duration(to: .now)
    }

    /// An error that may come from a migrated store has the record looked at, which a migration may have locked.
    @Test(arguments: [true, false]) func theQuestionForAnotherModelIsLimited(isCancelled: Bool) async throws {
        try await CompanyStore.with { store in
            try store.execute("ALTER TABLE employee DROP COLUMN first_name")
            let migration = try store.session()
            defer { migration.close() }
            try migration.begin()
            _ = try migration.query("LOCK TABLE _howdah_store IN ACCESS EXCLUSIVE MODE")
            let time = await elapsed {
                let task = Task {
                    try await store.container.perform(timeout: isCancelled ? nil : .milliseconds(500)) {
                        _ = try $0.fetch(Employee.self)
                    }
                }
                if isCancelled {
                    try? await Task.sleep(for: .milliseconds(300))
                    task.cancel()
                }
                await #expect(throws: (any Error).self) { try await task.value }
            }
            #expect(time < .seconds(4))
        }
    }

    @Test func openingCanBeCancelled() async throws {
        try await CompanyStore.with { store in
            let migration = try store.session()
            defer { migration.close() }
            try migration.begin()
            _ = try migration.query("LOCK TABLE _howdah_store IN ACCESS EXCLUSIVE MODE")
            let url = store.url
            let task = Task { _ = try await PersistentContainer.open(url, model: Company.model()) }
            try await store.untilBlocked()
            let time = await elapsed {
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            #expect(time < .seconds(4))
        }
    }

    @Test func threadsThatTakeTurnsLeaveOneToUnits() async throws {
        try await CompanyStore.with { store in
            let context = store.container.newBackgroundContext()
            let isOver = Flag()
            for _ in 0..<2 {
                Thread.detachNewThread {
                    while !isOver.isSet {
                        try? context.performAndWait { _ in Thread.sleep(forTimeInterval: 0.002) }
                    }
                }
            }
            defer { isOver.set() }
            var times: [Duration] = []
            for _ in 0..<20 {
                times.append(try await elapsed { try await context.perform(timeout: .seconds(30)) { _ in } })
            }
            // Before units kept a place in line, each took a second.
            #expect(times.sorted()[10] < .milliseconds(500), "\(times)")
        }
    }

    @Test func aNestedRunHasItsOwnDeadline() async throws {
        try await CompanyStore.with { store in
            let context = store.container.newBackgroundContext()
            try await context.perform(timeout: .seconds(30)) { outer in
                let start = ContinuousClock.now
                let error = #expect(throws: FetchError.self) {
                    try context.performAndWait(timeout: .milliseconds(300)) {
                        _ = try $0.fetchRows(String.self, sql: "SELECT pg_sleep(10)::text")
                    }
                }
                #expect(error?.code == .deadlineExceeded)
                #expect(start.duration(to: .now) < .seconds(4))
                // It is the outer one's again.
                let rows = try outer.fetchRows(String.self, sql: "SELECT pg_sleep(0.4)::text")
                #expect(rows.count == 1)
            }
        }
    }

    @Test func theLastErrorIsToldIfTheTimeIsOverBeforeAnotherRun() async throws {
        try await CompanyStore.with { store in
            let error = await #expect(throws: SaveError.self) {
                try await store.container.perform(retrying: .conflicts(upTo: 50), timeout: .milliseconds(200))
                { _ in
                    Thread.sleep(forTimeInterval: 0.25)
                    throw SaveError(.serializationFailure, "as if")
                }
            }
            #expect(error?.code == .serializationFailure)
        }
    }

    @Test(.needsSession) func aPathThatChangesLaterIsNoticed() async throws {
        try await CompanyStore.with { store in
            try store.execute(
                "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database()); END $$"
            )
            try store.terminateSessions()
            let error = await #expect(throws: StoreError.self) {
                for _ in 0..<5 { try await store.container.perform { _ = try? $0.count(Employee.self) } }
                try await store.container.perform { _ = try $0.count(Employee.self) }
            }
            #expect(error?.code == .unsuitableDatabase)
        }
    }

    @Test(.needsSession, arguments: ["public,PG_CATALOG", "public,\"pg_catalog\""])
    func thePathOfTheURLCounts(path: String)
        async throws
    {
        try await CompanyStore.with { store in
            var parts = try #require(URLComponents(string: store.url))
            parts.queryItems =
                (parts.queryItems ?? []) + [URLQueryItem(name: "options", value: "-csearch_path=\(path)")]
            let url = try #require(parts.string)
            let error = await #expect(throws: StoreError.self) {
                try await PersistentContainer.open(url, model: Company.model()).close()
            }
            #expect(error?.code == .unsuitableDatabase, "\(String(describing: error))")
        }
    }

    @Test(.needsSession) func patternsDoNotDependOnTheReadingOfLiterals() async throws {
        try await CompanyStore.with { store in
            _ = try await store.hire(3)
            var parts = try #require(URLComponents(string: store.url))
            parts.queryItems =
                (parts.queryItems ?? [])
                + [URLQueryItem(name: "options", value: "-cstandard_conforming_strings=off")]
            let container = try await PersistentContainer.open(#require(parts.string), model: Company.model())
            let names = try await container.perform { context in
                var request = FetchRequest<Employee>()
                request.predicate = .format("firstName LIKE %@", "E*")
                return try context.count(for: request)
            }
            #expect(names == 3)
            await container.close()
        }
    }
}

private final class Flag: Sendable {
    private let value = Mutex(false)
    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
}
