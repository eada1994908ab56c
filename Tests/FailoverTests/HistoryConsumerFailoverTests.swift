import Howdah
import HowdahMigration
import HowdahModel
import HowdahTesting
import PQClient
import Synchronization
import TestSupport
import Testing

/// Streams and consumers of the history over the failover of the servers beneath them.
@Suite struct HistoryConsumerFailoverTests {
    /// What a loop has delivered so far.
    private final class Deliveries: Sendable {
        private let state = Mutex<(keys: [Int64], isAfterFailover: Bool)>(([], false))

        func add(_ batch: HistoryBatch) {
            let keys = batch.transactions.flatMap(\.changes).map(\.changedObjectID.key)
            state.withLock { state in
                state.keys += keys
                state.isAfterFailover = state.isAfterFailover || batch.isAfterFailover
            }
        }

        var keys: [Int64] { state.withLock { $0.keys } }
        var isAfterFailover: Bool { state.withLock { $0.isAfterFailover } }

        /// Waits until all of the keys were delivered.
        nonisolated(nonsending) func wait(for keys: Set<Int64>) async throws {
            let deadline = ContinuousClock.now + .seconds(300)
            while !keys.isSubset(of: self.keys) {
                try #require(
                    ContinuousClock.now < deadline, "not delivered: \(keys.subtracting(self.keys).count)")
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    @Test("A stream and a consumer that stay open deliver every change of the promoted server")
    func openStreams() async throws {
        try await FailoverPrograms.run { programs, store in
            var options = programs.options
            options.keepsHistory = true
            let container = try await PersistentContainer.open(
                store.url, model: programs.model, options: options)
            let consumer = try await container.historyConsumer("mailer")
            let (streamed, consumed) = (Deliveries(), Deliveries())
            let token = try await container.currentHistoryToken()
            let stream = Task {
                for try await batch in container.changes(after: token) { streamed.add(batch) }
            }
            let mailer = Task {
                while true {
                    do {
                        for try await batch in consumer.changes() {
                            consumed.add(batch)
                            try await consumer.acknowledge(batch)
                        }
                        return
                    } catch {
                        // The failover took acknowledgements back, or came before one. A program begins again.
                        try await Task.sleep(for: .milliseconds(50))
                    }
                }
            }
            let kept = try await programs.save(10, on: store.primary)
            try await programs.beat(store.primary)
            try await streamed.wait(for: kept)
            try await consumed.wait(for: kept)
            try await store.replica.catchUp(with: store.primary)
            try await store.replica.disconnect()
            let tail = try await programs.save(60, on: store.primary)
            try await streamed.wait(for: tail)
            try await consumed.wait(for: tail)
            let (before, beforeConsumer) = (streamed.keys.count, consumed.keys.count)
            await store.primary.crash()
            try await store.replica.promote()

            let fresh = try await programs.save(40, on: store.replica)
            let deadline = ContinuousClock.now + .seconds(300)
            while !fresh.isSubset(of: streamed.keys[before...])
                || !fresh.isSubset(of: consumed.keys[beforeConsumer...])
            {
                try #require(ContinuousClock.now < deadline, "the streams miss changes of the new server")
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(streamed.isAfterFailover && consumed.isAfterFailover)
            await container.close(drainingFor: .seconds(5))
            try await stream.value
            try await mailer.value
        }
    }

    @Test(
        "Restarts in a row expire no token and no consumer, although no keeper wrote a heartbeat between them"
    )
    func quickRestarts() async throws {
        try await FailoverPrograms.run(replicas: 0) { programs, store in
            let server = store.primary
            var token = try await programs.token(server)
            // The consumer begins here.
            try await consume([], on: server, programs)
            for _ in 1...3 {
                let fresh = try await programs.save(3, on: server)
                let reading = try await programs.read(after: token, on: server)
                #expect(Set(reading.keys).isSuperset(of: fresh))
                try await consume(fresh, on: server, programs)
                token = try await programs.token(server)
                await server.stop()
                try await server.start()
            }
        }
    }

    @Test("A token from right after a failover is good after the next one")
    func quickFailovers() async throws {
        try await FailoverPrograms.run(replicas: 2) { programs, store in
            let (second, third) = (store.replicas[0], store.replicas[1])
            for replica in [third, second] { try await replica.catchUp(with: store.primary) }
            await store.primary.crash()
            try await second.promote()
            let token = try await programs.token(second)
            try await third.follow(second)
            let unread = try await programs.save(3, on: second)
            try await third.catchUp(with: second)
            await second.crash()
            try await third.promote()
            let fresh = try await programs.save(3, on: third)
            let reading = try await programs.read(after: token, on: third)
            #expect(Set(reading.keys).isSuperset(of: unread.union(fresh)) && reading.isAfterFailover)
        }
    }

    /// The next run of the server takes a consumer back to the last heartbeat. So a removal writes one.
    @Test("A restart right after a purge or a deletion expires no consumer", arguments: [false, true])
    func restartAfterRemoval(isDeletion: Bool) async throws {
        try await FailoverPrograms.run(replicas: 0) { programs, store in
            let server = store.primary
            let sql = PlainSQL(url: server.url)
            try await programs.beat(server)
            try await consume([], on: server, programs)
            try await consume(programs.save(3, on: server), on: server, programs)
            if isDeletion {
                try await programs.opened(server) { container in
                    try await container.deleteHistory(before: container.currentHistoryToken())
                }
            } else {
                try sql.script(
                    """
                    UPDATE _howdah_history_state SET retention = '0 s';
                    SELECT pg_sleep(0.01);
                    SELECT _howdah_history_rotate();
                    """)
                #expect(try sql.value("SELECT _howdah_history_purge(0::int2)::text") == "true")
            }
            await server.stop()
            try await server.start()
            try await consume(programs.save(3, on: server), on: server, programs)
        }
    }

    /// Control: with the heartbeat from before, which the start of the history is later than, the consumer expires.
    @Test("A restart right after the start of the history expires no consumer", arguments: [true, false])
    func restartAfterStart(keepsHeartbeat: Bool) async throws {
        try await FailoverPrograms.run(replicas: 0) { programs, store in
            let server = store.primary
            let sql = PlainSQL(url: server.url)
            let connection = try Connection(ConnectionConfiguration(server.url))
            defer { connection.close() }
            let administration = HistoryAdministration(connection)
            try administration.disable()
            _ = try administration.enable()
            let before = try #require(try sql.value("SELECT heartbeat::text FROM _howdah_history_state"))
            _ = try administration.start()
            _ = try administration.trust()
            if !keepsHeartbeat { try sql.script("UPDATE _howdah_history_state SET heartbeat = '\(before)'") }
            try await consume([], on: server, programs)
            try await consume(programs.save(3, on: server), on: server, programs)
            await server.stop()
            try await server.start()
            let fresh = try await programs.save(3, on: server)
            if keepsHeartbeat { return try await consume(fresh, on: server, programs) }
            let error = await #expect(throws: HistoryError.self) {
                try await consume(fresh, on: server, programs)
            }
            #expect(error?.code == .tokenExpired)
        }
    }

    /// Reads as a registered consumer, and acknowledges, until the keys were delivered.
    private func consume(
        _ keys: Set<Int64>, on server: ReplicatedServer, _ programs: FailoverPrograms
    ) async throws {
        try await programs.opened(server) { container in
            var missing = keys
            let consumer = try await container.historyConsumer("mailer")
            if missing.isEmpty { return }
            for try await batch in consumer.changes() {
                missing.subtract(batch.transactions.flatMap(\.changes).map(\.changedObjectID.key))
                try await consumer.acknowledge(batch)
                if missing.isEmpty { return }
            }
        }
    }

    @Test("A consumer goes on after pg_upgrade, once an operator has adopted the history")
    func upgrade() async throws {
        try await FailoverPrograms.run(replicas: 0) { programs, store in
            let old = store.primary
            try await programs.save(5, on: old)
            try await programs.beat(old)
            let token = try await programs.token(old)
            let unread = try await programs.save(5, on: old)
            await old.stop()
            let new = try await store.upgrade(old)

            let error = await #expect(throws: StoreError.self) { try await programs.token(new) }
            #expect(error?.code == .historyOfAnotherCluster)
            let connection = try Connection(ConnectionConfiguration(new.url))
            defer { connection.close() }
            let administration = HistoryAdministration(connection)
            #expect(try administration.adopt())
            #expect(try !administration.adopt())
            let fresh = try await programs.save(5, on: new)
            let reading = try await programs.read(after: token, on: new)
            #expect(Set(reading.keys).isSuperset(of: unread.union(fresh)) && reading.isAfterFailover)
        }
    }
}
