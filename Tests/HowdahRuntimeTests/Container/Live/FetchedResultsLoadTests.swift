import Foundation
import Howdah
import PQClient
import Synchronization
import TestSupport
import Testing

@testable import HowdahRuntime

/// Many subscriptions on a store that changes all the time: all end equal to a fetch, and soon enough.
@Suite(.serialized, .timeLimit(.minutes(30))) struct FetchedResultsLoadTests {
    private static let subscriptions = TestTier.choose(quick: 60, all: 200, nightly: 1_000)
    private static let resting = TestTier.choose(quick: 5, all: 10, nightly: 50)
    private static let seconds = TestTier.choose(quick: 3, all: 10, nightly: 60)
    private static let changesPerSecond = 100
    /// The number of visits that ends a loop.
    private static let last = 1_000_000

    /// The times of changes by their numbers, and the delays with which subscribers learned of them.
    private final class Clock: Sendable {
        private let times = Mutex<[Int: ContinuousClock.Instant]>([:])
        private let delays = Mutex<[Duration]>([])
        private let places = Mutex<[Int: Place]>([:])

        /// The place of a subscriber in its work.
        enum Place { case beginning, resting, waiting, reading, comparing, ended }

        func enter(_ place: Place, _ number: Int) { places.withLock { $0[number] = place } }

        /// The number of subscribers that have begun, or ended because of an error.
        var begun: Int { places.withLock { $0.values.count { $0 != .beginning } } }

        /// The subscribers that have not ended, with their places.
        var open: [Int: Place] { places.withLock { $0.filter { $0.value != .ended } } }

        func note(_ visits: Int) { times.withLock { $0[visits] = .now } }

        func hear(_ visits: Int) {
            guard let time = times.withLock({ $0[visits] }) else { return }
            delays.withLock { $0.append(.now - time) }
        }

        var all: [Duration] { delays.withLock(\.self).sorted() }
    }

    @Test func manySubscriptionsFollow() async throws {
        // Hundreds of units wait for a place at once, for as long as the machine needs.
        try await LiveStore.with(connections: 8, waiting: .seconds(600), isDurable: true) { store in
            // Each subscription follows the people of one department, whose name is their last name.
            try await store.other.perform { context in
                for number in 0..<Self.subscriptions * 2 {
                    let employee = Employee(context: context)
                    (employee.firstName, employee.lastName) = ("\(number)", "d\(number % Self.subscriptions)")
                }
                try context.save()
            }
            let clock = Clock()
            let (before, size) = (try Self.serverTime(store), Self.residentBytes)
            let loops = (0..<Self.subscriptions).map { number in
                Task {
                    defer { clock.enter(.ended, number) }
                    return try await Self.follow(number, store, clock)
                }
            }
            while clock.begun < Self.subscriptions { try await Task.sleep(for: .milliseconds(5)) }
            try await write(store, clock)
            // Everyone catches up within some seconds. One who does not is named, instead of waited for.
            let limit = ContinuousClock.now + .seconds(600)
            while !clock.open.isEmpty, .now < limit { try await Task.sleep(for: .milliseconds(5)) }
            try #require(
                clock.open.isEmpty, "\(clock.open), \(store.container.changeStreamStatus)")
            var wrong = 0
            for loop in loops where try await !loop.value { wrong += 1 }
            #expect(wrong == 0, "Results differ from a fetch.")
            let delays = clock.all
            guard TestTier.isNightly else { return }
            #expect(delays.count > Self.changesPerSecond * Self.seconds / 4)
            guard let last = delays.dropLast(delays.count / 100).last else { return }
            #expect(last < .milliseconds(250), "p99")
            let used = try Self.serverTime(store) - before
            #expect(used < Double(Self.seconds) * 0.1 + 5, "The server used \(used) s of processor time.")
            #expect(Self.residentBytes - size < 200_000_000, "The process grew.")
        }
    }

    private func write(_ store: LiveStore, _ clock: Clock) async throws {
        let end = ContinuousClock.now + .seconds(Self.seconds)
        var number = 1
        let pause = Duration.seconds(1) / Self.changesPerSecond
        while .now < end {
            let (next, changed) = (ContinuousClock.now + pause, number)
            try await store.other.perform { context in
                var request = FetchRequest<Employee>()
                request.predicate = .format("firstName == %@", "\(changed * 7 % (Self.subscriptions * 2))")
                guard let employee = try context.fetch(request).first else { return }
                employee.visits = changed
                try context.save()
            }
            clock.note(number)
            number += 1
            try await Task.sleep(until: next)
        }
        try await store.other.perform { context in
            var request = FetchRequest<Employee>()
            request.sortDescriptors = [.ascending(\.firstName)]
            var known: Set<String?> = []
            for employee in try context.fetch(request) where known.insert(employee.lastName).inserted {
                employee.visits = Self.last
            }
            try context.save()
        }
    }

    /// Follows one department until nothing changes any more, and compares.
    private static func follow(_ number: Int, _ store: LiveStore, _ clock: Clock) async throws -> Bool {
        let name = "d\(number)"
        let results = store.container.fetchedResults(
            Employee.self, matching: .format("lastName == %@", name),
            sortedBy: .descending(\.visits), .ascending(\.firstName))
        var replay = Replay(results)
        clock.enter(.beginning, number)
        try await replay.catchUp()
        clock.enter(.resting, number)
        if number < resting { try await Task.sleep(for: .seconds(seconds + 2)) }
        var isAtEnd = try await isLast(replay.ids, store)
        clock.enter(.waiting, number)
        while !isAtEnd, let update = try await replay.iterator.next() {
            clock.enter(.reading, number)
            replay.take(update)
            let objects = try await store.container.perform { context in
                try context.objects(of: update).values.map(\.visits)
            }
            // Those who rested hear late of what happened meanwhile.
            if number >= resting { for visits in objects { clock.hear(visits) } }
            isAtEnd = objects.contains { $0 >= last }
            clock.enter(.waiting, number)
        }
        clock.enter(.comparing, number)
        try await replay.catchUp()
        var request = FetchRequest<Employee>()
        request.predicate = .format("lastName == %@", name)
        request.sortDescriptors = [.descending(\.visits), .ascending(\.firstName)]
        let fresh = try await store.other.perform { [request] in try $0.fetchObjectIDs(request) }
        return fresh == replay.ids
    }

    private static func isLast(_ ids: [ObjectID<Employee>], _ store: LiveStore) async throws -> Bool {
        try await store.container.perform { context in
            try ids.contains { try context.existingObject(with: $0).visits >= last }
        }
    }

    /// The processor time of the server's sessions on the database.
    private static func serverTime(_ store: LiveStore) throws -> Double {
        let session = try Connection(ConnectionConfiguration(TestPooler.direct(store.url)))
        defer { session.close() }
        let result = try session.query("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
        return (0..<result.rowCount).reduce(0) { sum, row in
            let path = "/proc/\(result.row(row)[0].int32)/schedstat"
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            return sum + (text.split(separator: " ").first.flatMap { Double($0) } ?? 0) / 1e9
        }
    }

    private static var residentBytes: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * 4_096
    }
}
