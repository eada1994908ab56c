import Foundation
import Howdah
import HowdahTesting
import PQClient
import Synchronization
import TestSupport
import Testing

@testable import HowdahRuntime

/// Limits of units of work hold in every corner: opening, questions about the model, nested runs, repeated runs.
@Suite(.timeLimit(.minutes(60))) struct LimitTests {
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
            #expect(time < .seconds(45))
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
            #expect(time < .seconds(45))
        }
    }

    @Test func threadsThatTakeTurnsLeaveOneToUnits() async throws {
        try await CompanyStore.with { store in
            let context = store.container.newBackgroundContext()
            let (isOver, turns) = (Flag(), Shared(0))
            for _ in 0..<2 {
                Thread.detachNewThread {
                    while !isOver.isSet {
                        try? context.performAndWait { _ in
                            turns.withLock { $0 += 1 }
                            Thread.sleep(forTimeInterval: 0.02)
                        }
                    }
                }
            }
            defer { isOver.set() }
            var waits: [Int] = []
            for _ in 0..<20 {
                let before = turns.value
                waits.append(try await context.perform(timeout: .seconds(600)) { _ in turns.value - before })
            }
            // Two threads are in line before a unit. Before units kept a place, fifty turns came first, for a second.
            #expect(waits.sorted()[10] < 10, "\(waits)")
        }
    }

    @Test func aNestedRunHasItsOwnDeadline() async throws {
        try await CompanyStore.with { store in
            let context = store.container.newBackgroundContext()
            try await context.perform(timeout: .seconds(600)) { outer in
                let start = ContinuousClock.now
                let error = #expect(throws: FetchError.self) {
                    try context.performAndWait(timeout: .seconds(2)) {
                        _ = try $0.fetchRows(String.self, sql: "SELECT pg_sleep(300)::text")
                    }
                }
                #expect(error?.code == .deadlineExceeded)
                #expect(start.duration(to: .now) < .seconds(45))
                // It is the outer one's again.
                let rows = try outer.fetchRows(String.self, sql: "SELECT pg_sleep(0.4)::text")
                #expect(rows.count == 1)
            }
        }
    }

    @Test func theLastErrorIsToldIfTheTimeIsOverBeforeAnotherRun() async throws {
        try await CompanyStore.with { store in
            let error = await #expect(throws: SaveError.self) {
                try await store.container.perform(retrying: .conflicts(upTo: 50), timeout: .seconds(5)) { _ in
                    Thread.sleep(forTimeInterval: 5.1)
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
