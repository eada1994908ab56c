import Foundation
import HowdahMigration
import HowdahModel
import HowdahSchema
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// What a rehearsal says of handlers and of what is done later, and how its budget ends it.
@Suite struct RehearsalHandlerTests {
    private static func rehearse(
        _ connection: Connection, _ handlers: StageHandlers, budget: Duration? = nil,
        shouldDefer: Bool = false
    ) throws -> RehearsalReport {
        let versions = try [("V1", Register.old()), ("V2", Register.new())].map {
            MigrationPath.Version(name: $0, checksum: $1.versionChecksum, model: $1)
        }
        let path = try MigrationPath([
            .init(
                handlers.willMigrate == nil && handlers.didMigrate == nil ? .lightweight : .custom, versions,
                label: nil, handlers: handlers, confirmedDrops: ["Gone", "Person.nick"])
        ])
        var options = MigrationOptions()
        options.shouldDeferLightweightMigration = shouldDefer
        return try StoreMigration(
            connection, path, to: try Register.new(), options: options
        ).rehearse(budget: budget)
    }

    /// Runs `body`, after which the store is as it was.
    private static func undone(
        twins: Bool = false, _ body: (TemporaryDatabase, Connection) async throws -> Void
    ) async throws {
        try await Register.with(twins: twins) { database, connection in
            let before = try StoreCatalogue(named: "public", on: connection)
            try await body(database, connection)
            let after = try Connection(ConnectionConfiguration(database.url))
            defer { after.close() }
            #expect(try StoreCatalogue(named: "public", on: after).differences(from: before).isEmpty)
        }
    }

    @Test func handlersAreInTheReport() async throws {
        try await Self.undone { _, connection in
            let handler: StageHandlers.Handler = { connection, _ in
                _ = try connection.query("SELECT pg_sleep(0.01)", cached: false)
            }
            let report = try Self.rehearse(
                connection, StageHandlers(willMigrate: handler, didMigrate: handler))
            let stage = try #require(report.stages.first)
            #expect(report.isClean, "\(report)")
            #expect(stage.handlers.map(\.name) == ["willMigrate", "didMigrate"])
            #expect(stage.handlers.first?.afterSteps == 0)
            #expect((1..<stage.steps.count).contains(stage.handlers.last?.afterSteps ?? 0))
            let parts = stage.handlers.map(\.seconds) + stage.steps.map(\.seconds)
            #expect(stage.handlers.allSatisfy { $0.seconds > 0 } && parts.reduce(0, +) <= stage.seconds)
        }
    }

    @Test func tablesThatAreDroppedAreLocked() async throws {
        try await Self.undone { _, connection in
            let locks = try Self.rehearse(connection, StageHandlers()).stages.first?.locks ?? []
            #expect(Set(locks.map(\.table)) == ["club", "gone", "person"], "\(locks)")
            #expect(locks.contains { $0.table == "gone" && $0.mode == "AccessExclusiveLock" })
        }
    }

    @Test func whatIsDoneLaterIsRehearsedToo() async throws {
        try await Self.undone { _, connection in
            let report = try Self.rehearse(connection, StageHandlers(), shouldDefer: true)
            let plan = try #require(try Register.runner(connection).plan().stages.first?.plan)
            let steps = report.stages.first?.steps ?? []
            #expect(report.isClean, "\(report)")
            #expect(steps.map(\.reason).sorted() == plan.steps.map(\.reason).sorted())
            #expect(Set(steps.map(\.execution)) == [.immediate, .online, .deferred])
            #expect(steps.first { $0.execution == .online && $0.rows > 0 }?.rows == 15)
        }
        try await Self.undone(twins: true) { _, connection in
            let report = try Self.rehearse(connection, StageHandlers(), shouldDefer: true)
            #expect(report.ending == nil && !report.isClean, "\(report)")
            #expect(
                report.stages.first?.violations.contains { $0.contains("Person.title is unique") } == true,
                "\(report)")
            #expect(
                report.stages.first?.violations.contains { $0.contains("2 objects (Person ") } == true,
                "\(report)")
        }
    }

    @Test func aHandlerThatHeedsCancellationEndsWithTheBudget() async throws {
        try await Self.undone { _, connection in
            let handler: StageHandlers.Handler = { _, _ in
                while !Task.isCancelled { Thread.sleep(forTimeInterval: 0.01) }
                throw CancellationError()
            }
            let report = try Self.rehearse(
                connection, StageHandlers(didMigrate: handler), budget: .seconds(4))
            #expect(
                report.ending
                    == "cancelled after its budget of 4 s, in stage 1 of 1, didMigrate handler. Rehearse again with a longer budget.",
                "\(report)")
            #expect(!report.isAbandoned && connection.transactionStatus == .idle)
            #expect(report.stages.first?.handlers.map(\.name) == ["didMigrate"])
            #expect((report.stages.first?.seconds ?? 0) > 0)
        }
    }

    /// Whoever cancels what rehearses cancels its handler.
    @Test func aHandlerIsCancelledFromOutside() async throws {
        try await Self.undone { database, _ in
            let connection = Handed(try Connection(ConnectionConfiguration(database.url)))
            let (hasBegun, hasHeeded) = (Flag(), Flag())
            let handler: StageHandlers.Handler = { _, _ in
                hasBegun.set()
                while !Task.isCancelled { Thread.sleep(forTimeInterval: 0.01) }
                hasHeeded.set()
                throw CancellationError()
            }
            let task = SupervisedTask {
                _ = try Self.rehearse(connection.value, StageHandlers(didMigrate: handler))
            }
            while !hasBegun.isSet { try await Task.sleep(for: .milliseconds(10)) }
            task.cancel()
            while !hasHeeded.isSet { try await Task.sleep(for: .milliseconds(10)) }
            try await onThread { _ = try task.wait(until: nil) }
            connection.value.close()
        }
    }

    @Test func aHandlerThatGoesOnLosesItsSession() async throws {
        try await Self.undone { database, _ in
            // Used by the handler for longer than the rehearsal is waited for.
            let connection = Handed(try Connection(ConnectionConfiguration(database.url)))
            let (isEnough, hasEnded) = (Flag(), Flag())
            let handler: StageHandlers.Handler = { _, _ in
                while !isEnough.isSet { Thread.sleep(forTimeInterval: 0.01) }
                hasEnded.set()
            }
            let report = try Self.rehearse(
                connection.value, StageHandlers(didMigrate: handler), budget: .seconds(2))
            // Otherwise the session stays, and nobody may wait for its end.
            try #require(report.isAbandoned)
            #expect(
                report.ending?.contains("didMigrate handler. The handler ignored the cancellation.") == true)
            let watcher = try Connection(ConnectionConfiguration(database.url))
            defer { watcher.close() }
            let alive =
                "SELECT FROM pg_stat_activity WHERE pid = \(connection.value.backendProcessID)"
            while try watcher.query(alive, cached: false).rowCount > 0 {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(!hasEnded.isSet)
            isEnough.set()
            while !hasEnded.isSet { try await Task.sleep(for: .milliseconds(10)) }
        }
    }
}
