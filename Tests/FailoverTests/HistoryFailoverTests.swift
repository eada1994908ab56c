import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

/// A program keeps its token over the loss of servers and of the end of their log, and misses no change.
///
/// Each test has a control: the token taken at its word, which misses changes.
@Suite struct HistoryFailoverTests {
    @Test(
        "A token of a lost tail delivers every change after the failover, and repeats what came since a heartbeat"
    )
    func lostTail() async throws {
        try await FailoverPrograms.run { programs, store in
            let (old, new) = (store.primary, store.replica)
            let early = try await programs.save(10, on: old)
            try await programs.beat(old)
            let late = try await programs.save(10, on: old)
            try await new.catchUp(with: old)
            try await new.disconnect()
            let start = try await programs.token(old)
            let tail = try await programs.save(60, on: old)
            let before = try await programs.read(after: start, on: old)
            #expect(Set(before.keys) == tail && before.keys.count == 60 && !before.isAfterFailover)
            await old.crash()
            try await new.promote()

            let fresh = try await programs.save(40, on: new)
            let missed = fresh.subtracting(
                try programs.keysAtItsWord(of: before.token.snapshot, on: new))
            #expect(!missed.isEmpty, "control: the token at its word misses changes")
            let after = try await programs.read(after: before.token, on: new)
            #expect(after.isAfterFailover)
            #expect(Set(after.keys).isSuperset(of: fresh))
            #expect(Set(after.keys).isSubset(of: late.union(fresh)), "repeated only since the heartbeat")
            #expect(Set(after.keys).isDisjoint(with: early))
            #expect(after.keys.count == Set(after.keys).count)

            // The new token is of the new server, and repeats nothing.
            try await programs.beat(new)
            let more = try await programs.save(3, on: new)
            let next = try await programs.read(after: after.token, on: new)
            #expect(Set(next.keys) == more && next.keys.count == 3 && !next.isAfterFailover)
        }
    }

    @Test("A token survives two failovers in a row, each of which loses a tail")
    func twoFailovers() async throws {
        try await FailoverPrograms.run(replicas: 2) { programs, store in
            let (first, second, third) = (store.primary, store.replicas[0], store.replicas[1])
            try await programs.save(5, on: first)
            try await programs.beat(first)
            for replica in [third, second] {
                try await replica.catchUp(with: first)
                try await replica.disconnect()
            }
            try await programs.save(60, on: first)
            let token = try await programs.token(first)
            await first.crash()

            try await second.promote()
            let kept = try await programs.save(30, on: second)
            try await programs.beat(second)
            try await third.follow(second)
            try await third.catchUp(with: second)
            try await third.disconnect()
            try await programs.save(60, on: second)
            let later = try await programs.token(second)
            await second.crash()

            try await third.promote()
            let last = try programs.heartbeat(of: third)
            let fresh = try await programs.save(70, on: third)
            let wanted = kept.union(fresh)
            #expect(
                !wanted.isSubset(of: try programs.keysAtItsWord(of: token.snapshot, on: third)),
                "control: the token at its word misses changes")
            #expect(
                !wanted.isSubset(
                    of: try programs.keysAtItsWord(of: token.snapshot.intersection(last), on: third)),
                "control: the heartbeat of the later era alone misses changes")
            for isNoticed in [false, true] {
                if isNoticed { try await programs.beat(third) }
                let reading = try await programs.read(after: token, on: third)
                #expect(Set(reading.keys).isSuperset(of: wanted) && reading.isAfterFailover)
                let other = try await programs.read(after: later, on: third)
                #expect(Set(other.keys).isSuperset(of: fresh) && other.isAfterFailover)
                #expect(Set(other.keys).isDisjoint(with: kept), "the heartbeat came after these")
            }
        }
    }

    @Test("A switchover loses nothing and repeats what came since a heartbeat")
    func switchover() async throws {
        try await FailoverPrograms.run { programs, store in
            let (old, new) = (store.primary, store.replica)
            let early = try await programs.save(5, on: old)
            try await programs.beat(old)
            let seen = try await programs.save(5, on: old)
            let token = try await programs.token(old)
            let unread = try await programs.save(5, on: old)
            await old.stop()
            try await new.promote()
            let fresh = try await programs.save(5, on: new)
            let reading = try await programs.read(after: token, on: new)
            #expect(Set(reading.keys).isSuperset(of: unread.union(fresh)) && reading.isAfterFailover)
            #expect(Set(reading.keys).isSubset(of: seen.union(unread).union(fresh)))
            #expect(Set(reading.keys).isDisjoint(with: early))

            // And back: the old server has followed meanwhile.
            try await old.follow(new)
            try await old.start()
            try await programs.beat(new)
            try await old.catchUp(with: new)
            await new.stop()
            try await old.promote()
            let last = try await programs.save(5, on: old)
            let back = try await programs.read(after: reading.token, on: old)
            #expect(Set(back.keys).isSuperset(of: last) && back.isAfterFailover)
            #expect(Set(back.keys).isDisjoint(with: unread))
        }
    }

    @Test(
        "Nothing that a crash takes back is delivered, and its numbers are read again",
        arguments: FailoverCrash.allCases)
    func crashWithoutSynchronousCommit(_ crash: FailoverCrash) async throws {
        let settings = ["synchronous_commit": "off", "wal_writer_delay": "10s"]
        try await FailoverPrograms.run(replicas: 0, settings: settings) { programs, store in
            let server = store.primary
            let start = try await programs.token(server)
            let read = try await programs.save(20, on: server)
            try await programs.beat(server)
            let before = try await programs.read(after: start, on: server)
            #expect(Set(before.keys) == read)
            let (lost, seen) = try await programs.crashUnwritten(crash, server) {
                try PlainSQL(url: server.url).value("SELECT pg_current_snapshot()::text").flatMap {
                    StoreSnapshot($0)
                }
            }
            let careless = try #require(seen)
            let left = try programs.storedKeys(on: server)
            #expect(left.isSuperset(of: before.keys), "no change was delivered that the crash took back")
            #expect(!left.isSuperset(of: lost), "the crash took some back")

            let fresh = try await programs.save(30, on: server)
            let careful = try programs.keysAtItsWord(of: careless, on: server)
            #expect(!fresh.isSubset(of: careful), "control: an edge that is not flushed misses changes")
            let after = try await programs.read(after: before.token, on: server)
            #expect(Set(after.keys).isSuperset(of: fresh))
            #expect(after.isAfterFailover == (crash != .session), "a session's crash goes unnoticed")
            #expect(Set(after.keys).isSubset(of: try programs.storedKeys(on: server)))
        }
    }

    @Test("A volume that was restored delivers its own changes, although server and timeline are the same")
    func restoredVolume() async throws {
        try await FailoverPrograms.run(replicas: 0) { programs, store in
            let original = store.primary
            let early = try await programs.save(5, on: original)
            try await programs.beat(original)
            let copy = try await store.copy(of: original)
            try await programs.save(60, on: original)
            let token = try await programs.token(original)
            #expect(try programs.timeline(of: original) == programs.timeline(of: copy))
            await original.crash()

            let fresh = try await programs.save(40, on: copy)
            #expect(
                !fresh.isSubset(of: try programs.keysAtItsWord(of: token.snapshot, on: copy)),
                "control: the token at its word misses changes")
            let reading = try await programs.read(after: token, on: copy)
            #expect(Set(reading.keys) == fresh && reading.isAfterFailover)
            #expect(Set(reading.keys).isDisjoint(with: early))
        }
    }

    @Test("A token of a server that was given up is refused by the one that was promoted instead")
    func splitBrain() async throws {
        try await FailoverPrograms.run(replicas: 2) { programs, store in
            try await programs.save(5, on: store.primary)
            try await programs.beat(store.primary)
            for replica in store.replicas { try await replica.catchUp(with: store.primary) }
            let old = try await programs.token(store.primary)
            await store.primary.crash()
            let (given, taken) = (store.replicas[0], store.replicas[1])
            try await given.promote()
            try await programs.save(60, on: given)
            let token = try await programs.token(given)
            await given.crash()

            try await taken.promote()
            let fresh = try await programs.save(40, on: taken)
            #expect(try programs.timeline(of: taken) == "00000002" && token.era.timeline == 2)
            #expect(
                !fresh.isSubset(of: try programs.keysAtItsWord(of: token.snapshot, on: taken)),
                "control: the number of the timeline alone misses changes")
            for isNoticed in [false, true] {
                if isNoticed { try await programs.beat(taken) }
                let error = await #expect(throws: HistoryError.self) {
                    try await programs.read(after: token, on: taken)
                }
                #expect(error?.code == .tokenExpired)
                let reading = try await programs.read(after: old, on: taken)
                #expect(Set(reading.keys).isSuperset(of: fresh) && reading.isAfterFailover)
            }
        }
    }
}

/// The ways in which a server crashes.
enum FailoverCrash: CaseIterable {
    case session, server, everything

    nonisolated(nonsending) func end(_ server: ReplicatedServer) async throws {
        switch self {
        case .session: try await server.crashSession()
        case .server:
            await server.kill()
            try await server.start()
        case .everything:
            await server.crash()
            try await server.start()
        }
    }
}
