import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// What observers and logs say of work that ends before its time.
@Suite(.timeLimit(.minutes(10))) struct EndedWorkTests {
    private static func with(
        _ body: (CompanyStore, EventRecorder, LogRecorder) async throws -> Void
    ) async throws {
        let (recorder, log) = (EventRecorder(), LogRecorder())
        var options = StoreOptions()
        (options.observer, options.logger, options.slowStatement) = (recorder, log.logger, .milliseconds(1))
        try await CompanyStore.with(options: options) { store in
            try await body(store, recorder, log)
        }
    }

    /// The errors of the saves and of the units of work that were observed.
    private static func errors(_ recorder: EventRecorder) -> (save: [any Error], unit: [any Error]) {
        var errors: (save: [any Error], unit: [any Error]) = ([], [])
        for event in recorder.events {
            switch event {
            case .save(let save): errors.save += [save.error].compactMap(\.self)
            case .unitOfWork(let unit): errors.unit += [unit.error].compactMap(\.self)
            default: break
            }
        }
        return errors
    }

    /// Saves rows of a table that another session has locked, and ends the save while it waits.
    private static func endingASave(
        _ store: CompanyStore, _ recorder: EventRecorder, by end: (Task<Void, any Error>) throws -> Void
    ) async throws -> any Error {
        try await makeCompany(in: store.container)
        let other = try store.session()
        defer { other.close() }
        try other.begin()
        _ = try other.query("LOCK TABLE employee IN SHARE MODE")
        recorder.clear()
        let task = Task {
            try await store.container.perform { context in
                for employee in try context.fetch(Employee.self) { employee.visits += 1 }
                try context.save()
            }
        }
        try await store.untilBlocked()
        try end(task)
        return try #require(await #expect(throws: (any Error).self) { try await task.value })
    }

    @Test func aCancelledSaveIsACancellationEverywhere() async throws {
        try await Self.with { store, recorder, _ in
            let error = try await Self.endingASave(store, recorder) { $0.cancel() }
            #expect(error is CancellationError)
            let errors = Self.errors(recorder)
            #expect(errors.save.count == 1 && errors.save[0] is CancellationError, "\(errors)")
            #expect(errors.unit.count == 1 && errors.unit[0] is CancellationError, "\(errors)")
        }
    }

    @Test(arguments: ["pg_terminate_backend", "pg_cancel_backend"])
    func aSaveThatTheServerEndsHasAFittingRemedy(function: String) async throws {
        try await Self.with { store, recorder, _ in
            let error = try await Self.endingASave(store, recorder) { _ in
                try store.execute(
                    "SELECT \(function)(pid) FROM pg_stat_activity "
                        + "WHERE datname = current_database() AND wait_event_type = 'Lock'")
            }
            let isEnd = function == "pg_terminate_backend"
            for error in [error] + Self.errors(recorder).save {
                let save = try #require(error as? SaveError)
                #expect(save.code == .database)
                #expect(
                    save.message
                        == (isEnd
                            ? "The connection was lost before the save was committed. Nothing was saved. Run the unit "
                                + "of work again."
                            : "The save was cancelled, with its task or on the server. Nothing was saved. Save again if "
                                + "it is still needed."))
            }
            #expect(Self.errors(recorder).save.count == 1)
        }
    }

    /// What the deadline or a cancellation keeps from being sent is no round trip.
    @Test(arguments: [true, false]) func statementsThatAreNotSentAreNotObserved(isLate: Bool) async throws {
        try await Self.with { store, recorder, log in
            recorder.clear()
            let (container, count) = (store.container, log.entries.count)
            container.statistics.start()
            container.statementLog.start()
            let task = Task {
                try await container.perform(timeout: isLate ? .milliseconds(100) : .seconds(600)) { context in
                    _ = try context.fetch(Employee.self)
                    if isLate { Thread.sleep(forTimeInterval: 0.2) }
                    while !isLate, !Task.isCancelled { Thread.sleep(forTimeInterval: 0.01) }
                    _ = try context.fetch(Department.self)
                }
            }
            if !isLate {
                while recorder.summaries.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
                task.cancel()
            }
            await #expect(throws: (any Error).self) { try await task.value }
            let summaries = recorder.summaries.filter { $0.hasPrefix("SELECT") }
            #expect(summaries == ["SELECT employee"])
            #expect(Self.errors(recorder).unit.count == 1)
            #expect(container.statistics.report.roundTrips == 1)
            #expect(container.statementLog.count == 1)
            #expect(
                !log.entries.dropFirst(count).contains { $0.metadata["db.collection.name"] == "department" })
        }
    }

    @Test func aSlowStatementThatFailsIsLoggedAsSlow() async throws {
        try await Self.with { store, _, log in
            let queries: [SQLQuery] = [
                "SELECT 1::bigint / pg_catalog.length(pg_catalog.pg_sleep(0.05)::text)",
                "SELECT pg_catalog.length(pg_catalog.pg_sleep(0.05)::text)::bigint",
            ]
            for sql in queries {
                _ = try? await store.container.perform { try $0.fetchRows(Int64.self, sql: sql) }
            }
            let own = log.entries.filter { $0.metadata["db.query.text"]?.contains("pg_sleep") == true }
            let slow = own.filter { $0.message == "slow statement" }
            #expect(slow.map { $0.metadata["error.type"] } == ["22012", nil])
            // Own SQL has no summary in either log.
            #expect(own.count > slow.count)
            for entry in own { #expect(entry.metadata["db.query.summary"] == nil) }
        }
    }

    @Test func messagesOfErrorsAreOneLine() async throws {
        try await Self.with { store, _, log in
            _ = try? await store.container.perform {
                try $0.fetchRows(
                    Int64.self, sql: "SELECT \"no\ncolumn\" FROM employee")
            }
            let entry = try #require(log.entries.first { $0.metadata["error.type"] == "42703" })
            #expect(entry.metadata["error.message"]?.contains("\n") == false)
            #expect(entry.metadata["error.message"]?.contains("no column") == true)
        }
    }
}
