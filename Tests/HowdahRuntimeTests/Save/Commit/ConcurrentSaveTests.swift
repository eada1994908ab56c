import Foundation
import Howdah
import HowdahTesting
import PQClient
import Synchronization
import TestSupport
import Testing

@testable import HowdahRuntime

@Suite(.serialized) struct ConcurrentSaveTests {
    private static func fill(_ container: PersistentContainer, _ count: Int) async throws -> [ObjectID<
        Employee
    >] {
        try await container.perform { context in
            let employees = (0..<count).map { index in
                let employee = Employee(context: context)
                employee.firstName = "\(index)"
                return employee
            }
            try context.save()
            return employees.map(\.objectID)
        }
    }

    private static func deadlocks(_ sql: PlainSQL) throws -> String? {
        try sql.value("SELECT deadlocks::text FROM pg_stat_database WHERE datname = current_database()")
    }

    @Test func twoShapesOverSwappedRangesDoNotDeadlock() async throws {
        try await withStore(Company.model()) { container, sql in
            let ids = try await Self.fill(container, 400)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for side in 0..<2 {
                    group.addTask {
                        for _ in 0..<30 {
                            try await container.perform(retrying: .conflicts(upTo: 1_000)) { context in
                                let all: [Employee] = try context.fetch(Employee.self)
                                #expect(all.count == ids.count)
                                for (index, employee) in all.enumerated() {
                                    if (index < 200) == (side == 0) {
                                        employee.visits += 1
                                    } else {
                                        employee.visits += 1
                                        employee.lastName = "\(side) \(employee.visits)"
                                    }
                                }
                                try context.save()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(
                try sql.value("SELECT min(visits)::text || ' ' || max(visits)::text FROM employee") == "60 60"
            )
            #expect(try Self.deadlocks(sql) == "0")
        }
    }

    @Test func overlappingBatchesLoseNoUpdate() async throws {
        try await withStore(Company.model()) { container, sql in
            let ids = try await Self.fill(container, 2_000)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<8 {
                    group.addTask {
                        for round in 0..<4 {
                            let picked = Set(
                                (0..<500).map { ids[(writer * 173 + round * 311 + $0 * 3) % ids.count].key })
                            try await container.perform(retrying: .conflicts(upTo: 10_000)) { context in
                                for employee in try context.fetch(Employee.self)
                                where picked.contains(employee.key) {
                                    employee.visits += 1
                                }
                                try context.save()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try sql.value("SELECT sum(visits)::text FROM employee") == "\(8 * 4 * 500)")
            #expect(try sql.value("SELECT count(*)::text FROM employee WHERE visits <> _version - 1") == "0")
            #expect(try Self.deadlocks(sql) == "0")
        }
    }

    /// Eight writers of overlapping batches for a few seconds, by night for a minute: nobody sees a deadlock, and no
    /// update is lost.
    @Test(arguments: [false, true]) func eightWritersForAWhile(leavingTokens: Bool) async throws {
        let end = ContinuousClock.now + .seconds(TestTier.choose(quick: 1, all: 3, nightly: 60))
        var options = StoreOptions()
        options.resolvesLostCommits = leavingTokens
        let all = 2_000
        try await withStore(Company.model(), options: options) { container, sql in
            let ids = try await Self.fill(container, all)
            let saves = try await withThrowingTaskGroup(of: Int.self) { group in
                for writer in 0..<8 {
                    group.addTask {
                        var saves = 0
                        repeat {
                            let start = (writer * 173 + saves * 311) % all
                            let picked = Set((0..<500).map { ids[(start + $0 * 3) % all].key })
                            try await container.perform(retrying: .conflicts(upTo: 10_000)) { context in
                                for employee in try context.fetch(Employee.self)
                                where picked.contains(employee.key) {
                                    employee.visits += 1
                                    // Two shapes, in different halves for different writers.
                                    if (Int(employee.key) / 1_000 + writer).isMultiple(of: 2) {
                                        employee.lastName = "\(writer)"
                                    }
                                }
                                try context.save()
                            }
                            saves += 1
                        } while ContinuousClock.now < end
                        return saves
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(saves >= 8)
            #expect(try sql.value("SELECT sum(visits)::text FROM employee") == "\(saves * 500)")
            #expect(try sql.value("SELECT count(*)::text FROM employee WHERE visits <> _version - 1") == "0")
            #expect(try Self.deadlocks(sql) == "0")
            let tokens = try sql.value("SELECT count(*)::text FROM _howdah_save")
            #expect(tokens == (leavingTokens ? "\(saves + 1)" : "0"))
        }
    }

    /// A deadlock with somebody who keeps no order: the save loses it, tries again and wins.
    @Test(.needsSession, .timeLimit(.minutes(60))) func aLostDeadlockIsTriedAgain() async throws {
        try await withTestDatabase(for: Company.model()) { database in
            let sql = PlainSQL(url: database.url)
            // The save notices the deadlock first, so that it is the one to lose.
            let container = try await PersistentContainer.open(
                database.url + "&options=-c%20deadlock_timeout%3D20ms", model: Company.model())
            let ids = try await Self.fill(container, 3)
            let blocker = try Stranger(
                database.url, "SELECT 1 FROM employee WHERE _id = \(ids[1].key) FOR UPDATE")
            let rival = try Stranger(
                database.url + "&options=-c%20deadlock_timeout%3D60s",
                "SELECT 1 FROM employee WHERE _id = \(ids[2].key) FOR UPDATE")
            let save = Task {
                try await container.perform { context in
                    for employee in try context.fetch(Employee.self) {
                        employee.visits += employee.firstName == "0" ? 1 : 2
                    }
                    try context.fetch(Employee.self)[0].lastName = "two shapes"
                    container.statementLog.start()
                    try context.save()
                    return container.statementLog.events.compactMap(\.error?.sqlState)
                }
            }
            try await Self.wait(for: 1, sql)
            rival.run("SELECT 1 FROM employee WHERE _id = \(ids[0].key) FOR UPDATE")
            try await Self.wait(for: 2, sql)
            blocker.end()
            // The rival waits for the save, the save for the rival; the save gives in and the rival goes on.
            while !container.statementLog.events.contains(where: { $0.error != nil }) {
                try await Task.sleep(for: .milliseconds(5))
            }
            rival.end()
            // Trying again at once, the save may be before the rival at the first row, and lose once more.
            let errors = try await save.value
            #expect(!errors.isEmpty && errors.allSatisfy { $0 == SQLState.deadlockDetected }, "\(errors)")
            await container.close()
            #expect(try sql.value("SELECT sum(visits)::text FROM employee") == "5")
        }
    }

    /// Waits until that many sessions wait for a lock.
    private static func wait(for count: Int, _ sql: PlainSQL) async throws {
        for _ in 0..<60_000 {
            let waiting = try sql.value(
                "SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            if waiting == "\(count)" { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("\(count) sessions never waited")
    }
}
