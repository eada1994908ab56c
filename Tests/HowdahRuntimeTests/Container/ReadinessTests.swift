import Foundation
import Howdah
import HowdahTesting
import LocalPostgres
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// What a container says to a readiness probe.
@Suite struct ReadinessTests {
    private static func open(_ url: String, connections: Int = 2) async throws -> PersistentContainer {
        var options = StoreOptions()
        options.maximumConnections = connections
        return try await PersistentContainer.open(url, model: Company.model(), options: options)
    }

    /// The answer, and the time that it took.
    private static func ask(
        _ container: PersistentContainer, within limit: Duration = .seconds(2)
    ) async -> (Readiness, Duration) {
        let start = ContinuousClock.now
        let answer = await container.ready(within: limit)
        return (answer, .now - start)
    }

    @Test func aBusyContainerIsReady() async throws {
        try await withTestDatabase(for: Company.model()) { database in
            let container = try await Self.open(database.url)
            let end = Latch()
            let units = (0..<3).map { _ in
                Task {
                    try await container.perform { context in
                        _ = try context.fetch(Department.self)
                        end.wait()
                    }
                }
            }
            try await end.untilWaiting(2)
            while container.poolStatus.leased < 2 || container.poolStatus.waiting < 1 { await Task.yield() }
            #expect(
                container.poolStatus == PoolStatus(idle: 0, leased: 2, opening: 0, waiting: 1, maximum: 2))
            #expect(await container.ready() == .ready)
            #expect(container.poolStatus.leased == 2)
            end.open()
            for unit in units { try await unit.value }
            let busy = container.poolStatus
            #expect(busy.leased == 0 && busy.waiting == 0 && busy.idle <= 2)
            #expect(await container.ready().isReady)
            await container.close()
            #expect(await container.ready() == .draining)
        }
    }

    @Test(.needsSession) func manyCallsShareOneQuery() async throws {
        try await withTestDatabase(for: Company.model()) { database in
            let container = try await Self.open(database.url, connections: 1)
            let end = Latch()
            let unit = Task {
                try await container.perform { context in
                    _ = try context.fetch(Department.self)
                    end.wait()
                }
            }
            try await end.untilWaiting(1)
            let most = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<300 {
                    group.addTask { await container.ready(within: .seconds(20)) == .ready ? 0 : 1_000 }
                }
                group.addTask {
                    let sql = PlainSQL(url: database.url)
                    var most = 0
                    for _ in 0..<20 {
                        let count = try sql.value(
                            "SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database()")
                        most = max(most, Int(count ?? "") ?? 1_000)
                    }
                    return most
                }
                return try await group.reduce(0, max)
            }
            // The unit's session, that of the query, one that is ending, and the one that counts.
            #expect(most <= 4, "\(most)")
            end.open()
            try await unit.value
            // Times beyond the range of the clock end no process.
            #expect(await container.ready(within: .seconds(Int64.max)) == .ready)
            await container.close(drainingFor: .seconds(Int64.max))
        }
    }

    @Test func aClosingContainerDrains() async throws {
        try await withTestDatabase(for: Company.model()) { database in
            let container = try await Self.open(database.url)
            let end = Latch()
            let unit = Task {
                try await container.perform { context in
                    end.wait()
                    return try context.count(for: FetchRequest<Department>())
                }
            }
            try await end.untilWaiting(1)
            let closing = Task { await container.close() }
            while await container.ready() == .ready { await Task.yield() }
            #expect(await container.ready() == .draining)
            end.open()
            #expect(try await unit.value == 0)
            await closing.value
        }
    }

    @Test func anotherModelAndAMissingStoreAreNamed() async throws {
        try await withTestDatabase(for: Company.model()) { database in
            let sql = PlainSQL(url: database.url)
            let container = try await Self.open(database.url)
            let other = try ManagedObjectModel(entities: [EntityDescription("Other")])
            try sql.rows(
                "UPDATE _howdah_store SET checksum = '\(other.versionChecksum)', model = $j$\(other.canonicalJSON)$j$"
            )
            let (answer, _) = await Self.ask(container)
            guard case .otherModel(let reason) = answer else {
                Issue.record("\(answer)")
                return
            }
            #expect(reason.contains(other.versionChecksum) && !answer.isReady)
            // A later version of the library has changed the layout, and the model is the same again.
            try sql.rows(
                """
                UPDATE _howdah_store SET format_version = 99, readable_from = 99, writable_from = 99,
                    checksum = '\(try Company.model().versionChecksum)'
                """
            )
            guard case .otherModel(let format) = await container.ready() else {
                Issue.record("a store of a later format is ready")
                return
            }
            #expect(format.contains("99"))
            try sql.rows(
                """
                UPDATE _howdah_store SET format_version = 1, readable_from = 1, writable_from = 1, checksum = 'x'
                """
            )
            try sql.rows("ALTER TABLE _howdah_store RENAME COLUMN model TO text")
            guard case .unreachable = await container.ready() else {
                Issue.record("a store whose record cannot be read is ready")
                return
            }
            try sql.rows("DROP TABLE _howdah_store CASCADE")
            guard case .otherModel = await container.ready() else {
                Issue.record("a store that is gone is ready")
                return
            }
            await container.close()
        }
    }

    @Test(.needsSession) func aLockedRecordIsWaitedForUntilTheLimit() async throws {
        try await withTestDatabase(for: Company.model()) { database in
            let container = try await Self.open(database.url)
            let locker = try Connection(ConnectionConfiguration(database.url))
            try locker.begin()
            try locker.executeScript("LOCK TABLE _howdah_store IN ACCESS EXCLUSIVE MODE")
            for _ in 0..<3 {
                let (answer, time) = await Self.ask(container, within: .milliseconds(300))
                guard case .unreachable = answer else {
                    Issue.record("\(answer)")
                    return
                }
                #expect(time >= .milliseconds(300) && time < .milliseconds(900), "\(time)")
            }
            // No statement of a probe is left behind.
            let waiting = PlainSQL(url: database.url)
            var left = "?"
            for _ in 0..<100 where left != "0" {
                left =
                    try waiting.value(
                        "SELECT count(*)::text FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
                    )
                    ?? "?"
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(left == "0")
            let probe = Task { await container.ready(within: .seconds(60)) }
            probe.cancel()
            guard case .unreachable = await probe.value else {
                Issue.record("a cancelled probe is ready")
                return
            }
            try locker.rollback()
            locker.close()
            #expect(await container.ready() == .ready)
            await container.close()
        }
    }

    @Test func aServerThatStopsAndComesBackIsSeenAtOnce() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "ready-\(UUID().uuidString.prefix(8))")
        let cluster = try DevelopmentCluster(in: folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = try cluster.start(database: "ready")
        defer { _ = try? cluster.stop() }
        let container = try await Self.open(url)
        #expect(await container.ready() == .ready)
        for _ in 0..<2 {
            _ = try cluster.stop()
            let (answer, time) = await Self.ask(container)
            guard case .unreachable = answer else {
                Issue.record("\(answer)")
                return
            }
            #expect(time < .seconds(2.5))
            _ = try cluster.start(database: "ready")
            let (again, later) = await Self.ask(container)
            #expect(again == .ready && later < .seconds(2))
            #expect(try await container.perform { try $0.count(for: FetchRequest<Department>()) } == 0)
        }
        await container.close()
    }
}
