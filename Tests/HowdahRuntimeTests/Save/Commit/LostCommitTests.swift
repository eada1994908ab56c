import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// A connection that breaks at each message of a save: what the save claims is what happened.
@Suite(.needsSession, .serialized) struct LostCommitTests {
    /// How many saves ended in which way.
    private typealias Counts = [String: Int]

    /// Each kind of save with tokens; without them a quick run has the ones of one statement only.
    private static let saves: [(CutWork, Bool)] =
        CutWork.allCases.map { ($0, true) }
        + (TestTier.current > .quick ? CutWork.allCases : [.single]).map { ($0, false) }

    @Test(.timeLimit(.minutes(60)), arguments: saves)
    func everyMessageOfASave(work: CutWork, tokens: Bool) async throws {
        try await Self.expectTruth(work, tokens, .bothEnds)
    }

    /// A pooler that has lost its server answers in its place, and does not know what the server has done.
    @Test(.timeLimit(.minutes(60)), arguments: saves)
    func poolersAnswerForLostServers(work: CutWork, tokens: Bool) async throws {
        try await Self.expectTruth(work, tokens, .answered)
    }

    /// Cuts the connection of a save at each of its messages, and compares the outcome with the error.
    private static func expectTruth(_ work: CutWork, _ tokens: Bool, _ way: CuttingProxy.Way) async throws {
        try await CutStore.with(tokens: tokens, { $0.pooler = way == .answered ? .transaction : $0.pooler }) {
            store in
            var counts: Counts = [:]
            var number = 0
            for direction in CuttingProxy.Direction.allCases {
                var message = 0
                while try await Self.cut(store, work, direction, message, way, &number, &counts, tokens) {
                    message += 1
                }
                #expect(message >= 3, "\(direction)")
            }
            // Each outcome that there may be was met.
            if tokens {
                #expect((counts["stored"] ?? 0) > 0, "\(counts)")
                #expect(counts["outcomeUnknown"] == nil, "\(counts)")
            } else {
                #expect((counts["outcomeUnknown"] ?? 0) > 0, "\(counts)")
            }
        }
    }

    /// The server learns nothing of the break, and the rest of the save reaches it after its outcome was settled.
    @Test(
        .timeLimit(.minutes(60)),
        arguments: TestTier.current > .quick ? [CutWork.single, .inserts, .delete] : [.single])
    func whatComesLateIsNotStored(work: CutWork) async throws {
        try await CutStore.with(tokens: true) { store in
            var counts: Counts = [:]
            var number = 0
            for direction in CuttingProxy.Direction.allCases {
                var message = 0
                while try await Self.cut(store, work, direction, message, .clientOnly, &number, &counts, true)
                {
                    message += 1
                }
                #expect(message >= 3, "\(direction)")
            }
            #expect((counts["stored"] ?? 0) > 4, "\(counts)")
            // The bytes did come, and the tokens barred them.
            let barred = Int(
                try store.sql.value("SELECT count(*)::text FROM _howdah_save WHERE NOT is_stored") ?? "")
            #expect((barred ?? 0) > 0)
        }
    }

    /// One save whose connection breaks before one message; false where it has no such message.
    private static func cut(
        _ store: CutStore, _ work: CutWork, _ direction: CuttingProxy.Direction, _ message: Int,
        _ way: CuttingProxy.Way, _ number: inout Int, _ counts: inout Counts, _ tokens: Bool
    ) async throws -> Bool {
        number += 1
        let value = number
        let comment = Comment(rawValue: "\(work) \(direction) \(message) tokens \(tokens)")
        let handle = store.container.newBackgroundContext()
        // Loaded before, so that the messages counted are those of the save.
        try await handle.perform { context in _ = try context.fetch(Employee.self) }
        // The container has one, which is the one that will be cut.
        let sessions = try store.sessions()
        let isolation: Isolation? = work == .outer ? .repeatableRead : nil
        var failure: (any Error)?
        do {
            try await handle.perform(isolation: isolation) { context in
                // The fetch of what is to be changed is not to be cut.
                try work.prepare(value, in: context)
                store.proxy.arm(direction, message, way)
                try work.run(value, in: context)
            }
        } catch {
            failure = error
        }
        let hasCut = store.proxy.disarm()
        let error = failure as? SaveError
        #expect(failure == nil || error != nil, comment)
        let code = error.map(\.code.description) ?? "stored"
        if hasCut { counts[code, default: 0] += 1 }
        switch error?.code {
        case nil: #expect(try store.stored(value) == work.wanted, comment)
        case SaveError.Code.outcomeUnknown:
            #expect(!tokens && error?.token == nil && error?.databaseError?.mayHaveCommitted == true, comment)
        default:
            #expect(error?.code == .database || error?.code == .notCommitted, comment)
            #expect(error?.databaseError?.mayHaveCommitted == false, comment)
            // A server's end that outlived the break holds its locks until it learns of it.
            store.proxy.deliver()
            try await expectNothing(store, work, value, comment)
            // The same changes are still there to be saved.
            try await handle.perform(isolation: isolation) { try work.run(value, in: $0) }
            #expect(try store.stored(value) == work.wanted, comment)
        }
        store.proxy.deliver()
        if hasCut { try await store.untilGone(sessions) }
        try await store.untilAlone()
        if error?.code != .outcomeUnknown {
            #expect(try store.stored(value) == work.wanted, comment)
            try await expectUsable(handle, value, comment)
        }
        try store.sql.rows("DELETE FROM employee WHERE first_name = 'new'")
        return hasCut
    }

    /// The context's values and versions are those of the store.
    private static func expectUsable(_ handle: BackgroundContext, _ value: Int, _ comment: Comment)
        async throws
    {
        try await handle.perform { context in
            #expect(!context.hasChanges, comment)
            let written = try context.fetch(Employee.self).filter { $0.visits == value }.prefix(3)
            #expect(!written.isEmpty, comment)
            for employee in written {
                let version = employee.version
                context.refresh(employee)
                #expect(employee.visits == value && employee.version == version, comment)
                employee.lastName = "after \(value)"
            }
            try context.save()
        }
    }

    /// Nothing is stored, and nothing will be once the server has noticed.
    private static func expectNothing(
        _ store: CutStore, _ work: CutWork, _ value: Int, _ comment: Comment
    ) async throws {
        #expect(try store.stored(value) == work.nothing, comment)
        try await store.untilAlone()
        #expect(try store.stored(value) == work.nothing, comment)
    }

    /// A batch request and a statement of the program, alone and in a larger transaction.
    @Test(
        .timeLimit(.minutes(60)), arguments: [CuttingProxy.Way.bothEnds, .answered],
        [nil, Isolation.readCommitted])
    func whatIsStoredIsNotDenied(way: CuttingProxy.Way, isolation: Isolation?) async throws {
        let works: [@Sendable (ManagedObjectContext, Int) throws -> Void] = [
            { try $0.execute(BatchUpdateRequest(Employee.self, set: ["visits": .value($1)])) },
            { _ = try $0.fetchRows(Int64.self, sql: "UPDATE employee SET visits = \($1) RETURNING visits") },
        ]
        try await CutStore.with(tokens: false, { $0.pooler = way == .answered ? .transaction : $0.pooler }) {
            store in
            var (number, unknown) = (0, 0)
            for work in works {
                for direction in CuttingProxy.Direction.allCases {
                    var message = 0
                    while true {
                        number += 1
                        // A connection that is still opened or closed is not to be cut.
                        _ = try await store.container.perform { try $0.count(Employee.self) }
                        try await store.untilAlone()
                        let (value, sessions) = (number, try store.sessions())
                        store.proxy.arm(direction, message, way)
                        var failure: (any Error)?
                        do {
                            try await store.container.perform(isolation: isolation) { try work($0, value) }
                        } catch {
                            failure = error
                        }
                        let hasCut = store.proxy.disarm()
                        if hasCut { try await store.untilGone(sessions) }
                        let stored = try store.sql.value(
                            "SELECT count(*)::text FROM employee WHERE visits = \(value)")
                        let comment = Comment(
                            rawValue: "\(direction) \(message): \(failure.map { "\($0)" } ?? "none")")
                        if let failure {
                            let cause =
                                (failure as? SaveError)?.databaseError
                                ?? (failure as? FetchError)?.databaseError
                            let mayBeStored = cause?.mayHaveCommitted == true
                            if mayBeStored { unknown += 1 }
                            #expect(stored == "0" || mayBeStored, comment)
                            let saved = failure as? SaveError
                            #expect(saved == nil || mayBeStored == (saved?.code == .outcomeUnknown), comment)
                            #expect(
                                !mayBeStored || "\(failure)".contains(" may have been committed"), comment)
                            #expect(!mayBeStored || !"\(failure)".contains("Nothing was saved"), comment)
                        } else {
                            #expect(stored == "2", comment)
                        }
                        if !hasCut { break }
                        message += 1
                    }
                    #expect(message > 1, "\(direction)")
                }
            }
            #expect(unknown > 1)
        }
    }

    // MARK: Unreachable

    @Test(.timeLimit(.minutes(60)), arguments: CuttingProxy.Direction.allCases)
    func aServerThatStaysAwayIsAskedLater(direction: CuttingProxy.Direction) async throws {
        try await CutStore.with(tokens: true, { $0.connectionWait = .seconds(3) }) { store in
            let error = try await store.container.perform { context in
                try CutWork.inserts.prepare(1, in: context)
                store.proxy.arm(direction, direction == .toServer ? 5 : 3, .bothEnds)
                store.proxy.refuse(true)
                return saveError { try context.save() }
            }
            #expect(store.proxy.disarm())
            #expect(error?.code == .outcomeUnknown && error?.databaseError?.mayHaveCommitted == true)
            let token = try #require(error?.token)
            let later = await #expect(throws: SaveError.self) { try await store.container.wasStored(token) }
            #expect(later?.code == .outcomeUnknown && later?.token == token)
            store.proxy.refuse(false)
            try await store.untilAlone()
            let isStored = try await store.container.wasStored(token)
            #expect(try store.stored(1) == (isStored ? CutWork.inserts.wanted : CutWork.inserts.nothing))
            #expect(isStored == (direction == .toClient))
            // It stays so.
            let again = try await store.container.wasStored(token)
            #expect(again == isStored)
        }
    }

    /// The search ends with the unit, and not with `connectionWait`.
    @Test(.timeLimit(.minutes(60)), arguments: [true, false])
    func aSilentServerIsSearchedBriefly(isCancelled: Bool) async throws {
        try await CutStore.with(tokens: true) { store in
            let start = ContinuousClock.now
            let isSilent = Shared(false)
            let task = Task {
                try await store.container.perform(timeout: isCancelled ? nil : .seconds(5)) { context in
                    try CutWork.inserts.prepare(1, in: context)
                    store.proxy.silence(true)
                    isSilent.withLock { $0 = true }
                    try context.save()
                }
            }
            if isCancelled {
                while !isSilent.value { try await Task.sleep(for: .milliseconds(5)) }
                try await Task.sleep(for: .seconds(2))
                task.cancel()
            }
            let result = await task.result
            #expect(start.duration(to: .now) < .seconds(28))
            store.proxy.silence(false)
            let error = #expect(throws: SaveError.self) { try result.get() }
            #expect(error?.code == .outcomeUnknown && error?.token != nil)
        }
    }

    /// The search's own session opens, and is not answered: a cancellation that comes then ends the search soon, too.
    @Test(.timeLimit(.minutes(60))) func aSearchThatIsNotAnsweredEndsAfterACancellation() async throws {
        try await CutStore.with(tokens: true) { store in
            let container = store.container
            store.proxy.holdAfterDroppedCommit()
            store.proxy.dropAnswersToCommit(oneIn: 1)
            let task = Task {
                try await container.perform { context in
                    try CutWork.inserts.prepare(1, in: context)
                    try context.save()
                }
            }
            try await Task.sleep(for: .seconds(3))
            let start = ContinuousClock.now
            task.cancel()
            await #expect(throws: SaveError.self) { try await task.value }
            #expect(start.duration(to: .now) < .seconds(25))
        }
    }

    @Test func aTokenIsNoAnswerWithoutTheOptionOrAfterADay() async throws {
        try await CutStore.with(tokens: true) { store in
            let old = UUID(timeOrderedAt: .now.addingTimeInterval(-86_401))
            let error = await #expect(throws: SaveError.self) { try await store.container.wasStored(old) }
            #expect(error?.code == .outcomeUnknown && error?.token == old)
            let recent = UUID(timeOrderedAt: .now)
            let isStored = try await store.container.wasStored(recent)
            #expect(!isStored)
        }
        try await withStore(Company.model()) { container, _ in
            let error = await #expect(throws: SaveError.self) {
                try await container.wasStored(UUID(timeOrderedAt: .now))
            }
            #expect(error?.code == .outcomeUnknown)
        }
    }

    // MARK: Larger transactions

    /// A transaction that was lost before its COMMIT took effect is run again from the start.
    @Test(.timeLimit(.minutes(60))) func theBodyIsRunAgain() async throws {
        try await CutStore.with(tokens: true) { store in
            let isArmed = Once()
            let runs = try await store.container.perform(
                isolation: .serializable, retrying: .conflicts(upTo: 3)
            ) { context in
                try CutWork.outer.run(7, in: context)
                let isFirst = isArmed.take()
                // From here on only the token and COMMIT are sent.
                if isFirst { store.proxy.arm(.toServer, 2, .bothEnds) }
                return isFirst ? 1 : 2
            }
            #expect(runs == 2 && store.proxy.disarm())
            #expect(try store.stored(7) == CutWork.outer.wanted)
        }
    }

    /// Where nothing was written, nothing can be in doubt.
    @Test func aLostCommitOfReadsIsRunAgain() async throws {
        try await CutStore.with(tokens: false) { store in
            let isArmed = Once()
            let count = try await store.container.perform(
                isolation: .repeatableRead, retrying: .conflicts(upTo: 3)
            ) { context in
                let count = try context.fetch(Employee.self).count
                if isArmed.take() { store.proxy.arm(.toClient, 0, .bothEnds) }
                return count
            }
            #expect(count == 2 && store.proxy.disarm())
        }
    }
}
