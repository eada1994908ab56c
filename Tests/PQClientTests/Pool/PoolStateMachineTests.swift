import SeededRandom
import Testing

@testable import PQClient

@Suite struct PoolStateMachineTests {
    private let start = ContinuousClock.now

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test func waitersAreServedInOrderWhoeverTheConnectionWasOpenedFor() {
        var machine = PoolStateMachine(maximum: 1, idleTimeout: .seconds(60))
        #expect(machine.lease(1, deadline: at(10)) == [.open(1)])
        #expect(machine.lease(2, deadline: at(10)) == [])
        #expect(machine.lease(3, deadline: at(10)) == [])
        #expect(machine.opened(1, now: at(0)) == [.grant(1, to: 1)])
        #expect(machine.release(1, isReusable: true, now: at(1)) == [.grant(1, to: 2)])
        #expect(machine.release(1, isReusable: false, now: at(2)) == [.close(1), .open(2)])
        #expect(machine.opened(2, now: at(2)) == [.grant(2, to: 3)])
        #expect(machine.release(2, isReusable: true, now: at(3)) == [])
        #expect(machine.takeIdle() == 2)
    }

    @Test func usersGetTheConnectionTheyHadLastAndOthersTheOneUsedLast() {
        var machine = PoolStateMachine(maximum: 3, idleTimeout: .seconds(60))
        for id in 1...3 { #expect(machine.leaseNested() == .open(id)) }
        for id in 1...3 { _ = machine.release(id, isReusable: true, now: at(id), user: UInt(id)) }
        #expect(machine.takeIdle(for: 1) == 1)
        #expect(machine.takeIdle(for: 9) == 3)
        #expect(machine.takeIdle(for: 3) == 2)
        #expect(machine.takeIdle(for: 2) == nil)
    }

    @Test func expiryCancellationAndFailureReachTheRightWaiters() {
        var machine = PoolStateMachine(maximum: 2, idleTimeout: .seconds(60))
        _ = machine.lease(1, deadline: at(5))
        _ = machine.lease(2, deadline: at(3))
        _ = machine.lease(3, deadline: at(9))
        #expect(machine.expire(now: at(2)) == [])
        #expect(machine.expire(now: at(3)) == [.fail(2, .timeout)])
        #expect(machine.cancel(1) && !machine.cancel(1))
        #expect(machine.openingFailed(1) == [.fail(3, .openingFailed)])
        #expect(machine.openingFailed(2) == [] && machine.total == 0)
    }

    @Test func refusedWaitersWaitForTheConnectionsThatExist() {
        var machine = PoolStateMachine(maximum: 4, idleTimeout: .seconds(60))
        for waiter in 1...3 { _ = machine.lease(waiter, deadline: at(9)) }
        #expect(machine.opened(1, now: at(0)) == [.grant(1, to: 1)])
        #expect(machine.openingFailed(2, isRefusal: true) == [.retry(.milliseconds(100))])
        #expect(machine.openingFailed(3, isRefusal: true) == [])
        #expect(machine.waiters.map(\.id) == [2, 3] && machine.checkInvariants() == nil)
        #expect(machine.release(1, isReusable: true, now: at(1)) == [.grant(1, to: 2)])
        // Another try after the pause, and a longer pause after another refusal.
        #expect(machine.retry() == [.open(4)])
        #expect(machine.openingFailed(4, isRefusal: true) == [.retry(.milliseconds(200))])
        // With the last connection gone, there is nothing to wait for.
        #expect(machine.release(1, isReusable: false, now: at(1)) == [.close(1), .open(5)])
        #expect(machine.openingFailed(5, isRefusal: true) == [.fail(3, .openingFailed)])
    }

    @Test func openingsThatWereAllRefusedAreFollowedByOneAlone() {
        var machine = PoolStateMachine(maximum: 4, idleTimeout: .seconds(60))
        for waiter in 1...3 { _ = machine.lease(waiter, deadline: at(9)) }
        #expect(machine.openingFailed(1, isRefusal: true) == [.retry(.milliseconds(100))])
        #expect(machine.openingFailed(2, isRefusal: true) == [])
        #expect(machine.openingFailed(3, isRefusal: true) == [.open(4)])
        #expect(machine.waiters.map(\.id) == [1, 2, 3] && machine.checkInvariants() == nil)
        #expect(machine.opened(4, now: at(0)) == [.grant(4, to: 1)])
        // A server that has no room for a single one says so to the waiters.
        var full = PoolStateMachine(maximum: 4, idleTimeout: .seconds(60))
        for waiter in 1...2 { _ = full.lease(waiter, deadline: at(9)) }
        #expect(full.openingFailed(1, isRefusal: true) == [.retry(.milliseconds(100))])
        #expect(full.openingFailed(2, isRefusal: true) == [.open(3)])
        #expect(full.openingFailed(3, isRefusal: true) == [.fail(1, .openingFailed), .open(4)])
        #expect(full.openingFailed(4, isRefusal: true) == [.fail(2, .openingFailed)])
    }

    @Test func nestedLeasesExceedTheMaximumOnlyWhileTheyLast() {
        var machine = PoolStateMachine(maximum: 1, idleTimeout: .seconds(60))
        _ = machine.lease(1, deadline: at(5))
        _ = machine.opened(1, now: at(0))
        #expect(machine.leaseNested() == .open(2))
        #expect(machine.total == 2 && machine.checkInvariants() == nil)
        #expect(machine.release(2, isReusable: true, now: at(0)) == [.close(2)])
        #expect(machine.release(1, isReusable: true, now: at(0)) == [])
        #expect(machine.leaseNested() == .grant(1))
    }

    @Test func idleConnectionsAgeAndClosingDrains() {
        var machine = PoolStateMachine(maximum: 3, idleTimeout: .seconds(60))
        for waiter in 1...3 { _ = machine.lease(waiter, deadline: at(5)) }
        for id in 1...3 { _ = machine.opened(id, now: at(0)) }
        _ = machine.release(1, isReusable: true, now: at(0))
        #expect(machine.release(2, isReusable: true, now: at(60)) == [.close(1)])
        #expect(machine.close() == [.close(2)])
        #expect(machine.lease(9, deadline: at(70)) == [.fail(9, .closed)])
        #expect(machine.leaseNested() == .closed && !machine.isDrained)
        #expect(machine.release(3, isReusable: true, now: at(61)) == [.close(3)])
        #expect(machine.isDrained)
    }

    /// Whatever happens in whatever order, the rules hold, and everybody who asked gets exactly one answer.
    @Test(arguments: [0x5EED_0003, 0x5EED_0004, 0x5EED_0005] as [UInt64])
    func randomOperations(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            var model = Model(maximum: Int.random(in: 1...4, using: &random))
            for step in 0..<200 {
                model.step(&random)
                if let rule = model.machine.checkInvariants() {
                    Issue.record("broken: \(rule); seed \(seed), step \(step)")
                    return
                }
            }
            model.finish()
            #expect(model.machine.isDrained, "seed \(seed)")
            #expect(
                model.answers.count == model.asked && model.answers.allSatisfy { $0.value == 1 },
                "seed \(seed)")
            #expect(model.live.isEmpty && model.isOrdered, "seed \(seed)")
        }
    }

    /// A caller that carries out the actions and keeps the books independently.
    private struct Model {
        var machine: PoolStateMachine
        var now = ContinuousClock.now
        var asked = 0
        var answers: [Int: Int] = [:]
        var granted: [Int] = []
        var leased: [Int] = []
        var opening: [Int] = []
        var live: Set<Int> = []
        var isOrdered = true
        var pauses = 0

        init(maximum: Int) { machine = PoolStateMachine(maximum: maximum, idleTimeout: .seconds(20)) }

        mutating func carryOut(_ actions: [PoolStateMachine.Action]) {
            for action in actions {
                switch action {
                case .grant(let id, let waiter):
                    isOrdered = isOrdered && (granted.last ?? 0) < waiter
                    granted.append(waiter)
                    answers[waiter, default: 0] += 1
                    leased.append(id)
                case .fail(let waiter, _): answers[waiter, default: 0] += 1
                case .open(let id):
                    opening.append(id)
                    live.insert(id)
                case .close(let id): live.remove(id)
                case .retry: pauses += 1
                }
            }
        }

        mutating func step(_ random: inout SeededGenerator) {
            now += .seconds(Int.random(in: 0...3, using: &random))
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<6:
                asked += 1
                carryOut(
                    machine.lease(asked, deadline: now + .seconds(Int.random(in: 1...30, using: &random))))
            case 6..<11: returnOne(isReusable: Bool.random(using: &random), &random)
            case 11 where pauses > 0:
                pauses -= 1
                carryOut(machine.retry())
            case 11..<14: openOne(succeeds: true, &random)
            case 14: openOne(succeeds: false, &random)
            case 15: carryOut(machine.expire(now: now))
            case 16 where asked > 0:
                let waiter = Int.random(in: 1...asked, using: &random)
                if machine.cancel(waiter) { answers[waiter, default: 0] += 1 }
            case 17: if let id = machine.takeIdle() { leased.append(id) }
            case 18: leaseNested(succeeds: Bool.random(using: &random))
            case 19 where Int.random(in: 0..<20, using: &random) == 0: carryOut(machine.close())
            default: break
            }
        }

        private mutating func leaseNested(succeeds: Bool) {
            switch machine.leaseNested() {
            case .grant(let id): leased.append(id)
            case .open(let id):
                live.insert(id)
                if succeeds {
                    leased.append(id)
                } else {
                    carryOut(machine.release(id, isReusable: false, now: now))
                }
            case .closed: break
            }
        }

        private mutating func returnOne(isReusable: Bool, _ random: inout SeededGenerator) {
            guard !leased.isEmpty else { return }
            let id = leased.remove(at: Int.random(in: 0..<leased.count, using: &random))
            carryOut(machine.release(id, isReusable: isReusable, now: now))
        }

        private mutating func openOne(succeeds: Bool, _ random: inout SeededGenerator) {
            guard !opening.isEmpty else { return }
            let id = opening.remove(at: Int.random(in: 0..<opening.count, using: &random))
            if !succeeds { live.remove(id) }
            carryOut(
                succeeds
                    ? machine.opened(id, now: now)
                    : machine.openingFailed(id, isRefusal: Bool.random(using: &random)))
        }

        mutating func finish() {
            var random = SeededGenerator(seed: 1)
            carryOut(machine.close())
            while !opening.isEmpty { openOne(succeeds: true, &random) }
            while !leased.isEmpty { returnOne(isReusable: true, &random) }
        }
    }
}
