import Foundation
import HowdahModel
import HowdahSchema
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// The functions of the owner that remove history.
@Suite struct HistoryPurgeTests {
    /// Control: the first wording of the condition, "no row is older than the retention", holds for young slots.
    @Test func aSlotIsPurgedIfAllOfItsRowsAreOld() async throws {
        try await HistoryStore.with { store in
            try store.run("UPDATE _howdah_history_current SET slot = 4")
            try store.add(slot: 1, age: "30 days")
            try store.add(slot: 2, age: "1 hour")
            try store.add(slot: 3, age: "30 days")
            try store.add(slot: 3, age: "1 hour")
            try store.add(slot: 4, age: "30 days")
            for slot in 1...4 { try store.close(slot: slot) }
            let first = try (1...4).filter {
                try store.value(
                    "NOT EXISTS (SELECT FROM _howdah_history_\($0) WHERE stored_at < now() - interval '7 days')"
                ) == "true"
            }
            #expect(first == [2], "the first wording keeps old slots and removes young ones")
            #expect(try (0...8).filter { try store.call(.purge, "\($0)::smallint") } == [1])
            #expect(
                try store.value(
                    "SELECT string_agg(slot::text, ',' ORDER BY slot, number) FROM _howdah_history")
                    == "2,3,3,4")
            #expect(try !store.call(.purge, "1::smallint"), "an empty slot is left alone")
            #expect(
                try store.value(
                    "SELECT purged_txid > '0' AND closed_at[1] IS NULL FROM _howdah_history_state") == "true")
            // A slot that was closed a short time ago is not looked at.
            try store.add(slot: 1, age: "30 days")
            try store.run("UPDATE _howdah_history_state SET closed_at[1] = now()")
            #expect(try !store.call(.purge, "1::smallint"))
        }
    }

    @Test func theRetentionIsThatOfTheState() async throws {
        try await HistoryStore.with { store in
            try store.run("UPDATE _howdah_history_current SET slot = 1")
            try store.add(age: "2 hours")
            try store.run("UPDATE _howdah_history_state SET closed_at[0] = now() - interval '2 hours'")
            #expect(try !store.call(.purge, "0::smallint"))
            try store.run("UPDATE _howdah_history_state SET retention = interval '1 hour'")
            #expect(try store.call(.purge, "0::smallint"))
        }
    }

    @Test func aSlotWaitsForEveryConsumer() async throws {
        try await HistoryStore.with { store in
            try store.run("UPDATE _howdah_history_current SET slot = 1")
            try await store.register("mailer")
            try store.add(age: "30 days")
            try store.close(slot: 0)
            #expect(try !store.call(.purge, "0::smallint"))
            try await store.register("search")
            #expect(try !store.call(.purge, "0::smallint"))
            try await store.untilOlderTransactionsEnd()
            try store.run(
                "UPDATE _howdah_history_consumer SET snapshot = pg_current_snapshot() WHERE name = 'mailer'")
            #expect(try store.call(.purge, "0::smallint"))
        }
    }

    /// A position of an earlier era sees what the heartbeat of that era saw: numbers after it may have been used again.
    @Test func aPositionOfAnotherEraCountsUntilItsHeartbeat() async throws {
        try await HistoryStore.with { store in
            try store.run("UPDATE _howdah_history_current SET slot = 1")
            try store.run(
                "UPDATE _howdah_history_state SET heartbeat_era = '00000001/1', heartbeat = pg_current_snapshot()"
            )
            try store.add(age: "30 days")
            try store.close(slot: 0)
            // By its own numbers the consumer has seen the row, which was written after the failover.
            try await store.register("mailer", era: "00000001/1")
            #expect(
                try store.value(
                    "pg_visible_in_snapshot((SELECT txid FROM _howdah_history), (SELECT snapshot FROM _howdah_history_consumer))"
                ) == "true")
            #expect(try !store.call(.purge, "0::smallint"), "before anyone noticed the era")
            #expect(try store.call(.heartbeat))
            #expect(try !store.call(.purge, "0::smallint"))
            try store.run("UPDATE _howdah_history_consumer SET era = '00000007/7'")
            #expect(try !store.call(.purge, "0::smallint"), "nobody knows what it has read")
            try store.run("UPDATE _howdah_history_consumer SET era = \(HistoryTables.eraExpression)")
            #expect(try store.call(.purge, "0::smallint"))
        }
    }

    /// A transaction that read the pointer before the rotation commits while the purge waits for the lock.
    ///
    /// Control: the check without the look under the lock truncates its row.
    @Test(arguments: [true, false]) func aLateRowIsNotLost(looksAgain: Bool) async throws {
        try await HistoryStore.with { store in
            try store.run("UPDATE _howdah_history_current SET slot = 1")
            try store.add(age: "30 days")
            try store.close(slot: 0)
            if !looksAgain {
                let definition = try #require(
                    try store.value(
                        "pg_get_functiondef('\(store.tables.signature(of: .purge))'::regprocedure)"))
                let condition = "INTO busy USING look;"
                #expect(definition.contains(condition))
                try store.run(definition.replacing(condition, with: "\(condition) busy := FALSE;"))
            }
            try store.run("ALTER FUNCTION \(store.tables.signature(of: .purge)) SET lock_timeout = '30s'")
            let writer = try Connection(ConnectionConfiguration(store.database.url))
            defer { writer.close() }
            try writer.executeScript("BEGIN; \(HistoryStore.insertion(age: "30 days", ids: "{2}"))")
            let (url, function) = (store.database.url, store.tables.name(of: .purge))
            async let isPurged = purge(slot: 0, at: url, by: function)
            let waiting =
                "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = '_howdah_history_0'::regclass "
                + "AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))"
            while try writer.query(waiting, cached: false).map({ $0[0].bool }) != [true] {
                try await Task.sleep(for: .milliseconds(5))
            }
            try writer.executeScript("COMMIT")
            #expect(try await isPurged == !looksAgain)
            #expect(
                try store.value("SELECT count(*) FROM _howdah_history WHERE ids = '{2}'")
                    == (looksAgain ? "1" : "0"))
        }
    }

    /// Waits until another session of the database waits for a lock.
    private func waitForWaiter(_ store: HistoryStore) async throws {
        let waiting =
            "EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database())"
        while try store.value(waiting) != "true" { try await Task.sleep(for: .milliseconds(5)) }
    }

    private static func registration(_ store: HistoryStore, _ name: String, _ snapshot: String) -> String {
        "SELECT \(store.tables.name(of: .register))('\(name)', 'token', '\(snapshot)', \(HistoryTables.eraExpression))"
    }

    /// A consumer registers after the purge has looked at all consumers, and before it has the lock.
    ///
    /// Control: the purge that does not look again truncates the row that the consumer needs.
    @Test(arguments: [true, false]) func aLateConsumerIsRespected(looksAgain: Bool) async throws {
        try await HistoryStore.with { store in
            try store.run("UPDATE _howdah_history_current SET slot = 1")
            let before = try #require(try store.value("pg_current_snapshot()"))
            try store.add(age: "30 days")
            try store.close(slot: 0)
            if !looksAgain {
                let definition = try #require(
                    try store.value(
                        "pg_get_functiondef('\(store.tables.signature(of: .purge))'::regprocedure)"))
                let condition = "WHERE NOT k.key = ANY (judged)"
                let last = try #require(definition.range(of: condition, options: .backwards))
                try store.run(definition.replacingCharacters(in: last, with: "WHERE FALSE"))
            }
            try store.run("ALTER FUNCTION \(store.tables.signature(of: .purge)) SET lock_timeout = '30s'")
            let holder = try Connection(ConnectionConfiguration(store.database.url))
            defer { holder.close() }
            try holder.executeScript("BEGIN; SELECT FROM _howdah_history_state FOR SHARE")
            let (url, function) = (store.database.url, store.tables.name(of: .purge))
            async let isPurged = purge(slot: 0, at: url, by: function)
            try await waitForWaiter(store)
            #expect(try store.value("(\(Self.registration(store, "late", before)))") == "true")
            try holder.executeScript("COMMIT")
            #expect(try await isPurged == !looksAgain)
            #expect(try store.value("SELECT count(*) FROM _howdah_history") == (looksAgain ? "1" : "0"))
            #expect(try store.value("(\(Self.registration(store, "late", before)))") == "false", "exists")
        }
    }

    /// Another purge looks and ends while this one waits, and truncates a row that was not committed at the first look.
    ///
    /// Control: the purge that goes on puts its earlier look in place of the later one. A token from between is then served
    /// without the row.
    @Test(arguments: [true, false]) func ofTwoPurgesTheLaterLookStays(comparesState: Bool) async throws {
        try await HistoryStore.with { store in
            try store.run("UPDATE _howdah_history_current SET slot = 3")
            for slot in 1...2 { try store.close(slot: slot) }
            if !comparesState {
                let definition = try #require(
                    try store.value(
                        "pg_get_functiondef('\(store.tables.signature(of: .purge))'::regprocedure)"))
                let condition =
                    "s.purged_txid <> last.purged_txid OR s.purged_at::pg_catalog.text <> last.purged_at::pg_catalog.text"
                #expect(definition.contains(condition))
                try store.run(definition.replacing(condition, with: "FALSE"))
            }
            try store.run("ALTER FUNCTION \(store.tables.signature(of: .purge)) SET lock_timeout = '30s'")
            let writer = try Connection(ConnectionConfiguration(store.database.url))
            defer { writer.close() }
            try writer.executeScript("BEGIN; \(HistoryStore.insertion(slot: 2, age: "30 days"))")
            let number = try writer.query("SELECT pg_current_xact_id()::text").first { $0[0].string() }
            let late = try #require(number)
            try store.add(slot: 1, age: "30 days")
            let other = try Connection(ConnectionConfiguration(store.database.url))
            defer { other.close() }
            try other.executeScript("BEGIN; SELECT FROM _howdah_history_state FOR UPDATE")
            let (url, function) = (store.database.url, store.tables.name(of: .purge))
            async let isPurged = purge(slot: 1, at: url, by: function)
            try await waitForWaiter(store)
            try writer.executeScript("COMMIT")
            #expect(try store.call(.purge, "2::smallint", on: other))
            try other.executeScript("COMMIT")
            #expect(try await isPurged == !comparesState)
            let isSeen = "SELECT pg_visible_in_snapshot('\(late)', purged_at) FROM _howdah_history_state"
            #expect(try store.value(isSeen) == "\(comparesState)")
            #expect(try store.call(.purge, "1::smallint") == comparesState, "at the next time")
        }
    }

    /// Control: a consumer that is only inserted does not stop a deletion that has begun.
    @Test(arguments: [true, false]) func aDeletionWaitsForARegistration(byFunction: Bool) async throws {
        try await HistoryStore.with { store in
            let before = try #require(try store.value("pg_current_snapshot()"))
            try store.add()
            let seen = try #require(try store.value("pg_current_snapshot()"))
            let program = try Connection(ConnectionConfiguration(store.database.url))
            defer { program.close() }
            try program.executeScript(
                "BEGIN; "
                    + (byFunction
                        ? Self.registration(store, "late", before)
                        : "INSERT INTO _howdah_history_consumer SELECT 'late', 'token', '\(before)', "
                            + "\(HistoryTables.eraExpression), now(), now()"))
            let (url, delete) = (store.database.url, store.tables.name(of: .delete))
            async let holder = onOtherThread {
                let keeper = try Connection(ConnectionConfiguration(url))
                defer { keeper.close() }
                return try keeper.query(
                    "SELECT coalesce(held_by, '') FROM \(delete)('\(seen)', false)", cached: false
                )
                .scalar { $0.string() }
            }
            if byFunction { try await waitForWaiter(store) } else { #expect(try await holder == "") }
            try program.executeScript("COMMIT")
            #expect(try await holder == (byFunction ? "late" : ""))
        }
    }

    @Test func aDeletionInASnapshotIsRefused() async throws {
        try await HistoryStore.with { store in
            try store.connection.begin(isolation: .repeatableRead)
            #expect(throws: PostgresError.self) {
                try store.value("SELECT removed FROM \(store.tables.name(of: .delete))('3:3:', false)")
            }
            try store.connection.rollback()
        }
    }

    @Test func aPurgeDoesNotWaitForReaders() async throws {
        try await HistoryStore.with { store in
            try store.run("UPDATE _howdah_history_current SET slot = 1")
            try store.add(age: "30 days")
            try store.close(slot: 0)
            let reader = try Connection(ConnectionConfiguration(store.database.url))
            defer { reader.close() }
            try reader.executeScript("BEGIN; SELECT count(*) FROM _howdah_history")
            // It returns, although the reader ends only afterwards.
            #expect(try !store.call(.purge, "0::smallint"))
            try reader.executeScript("COMMIT")
            #expect(try store.call(.purge, "0::smallint"))
        }
    }

    @Test func aPurgeInASnapshotIsRefused() async throws {
        try await HistoryStore.with { store in
            try store.connection.begin(isolation: .repeatableRead)
            #expect(throws: PostgresError.self) { try store.call(.purge, "0::smallint") }
            try store.connection.rollback()
        }
    }

    @Test func deletedHistoryIsHiddenAndPurged() async throws {
        try await HistoryStore.with { store in
            let delete =
                "SELECT coalesce(held_by, '') || removed FROM \(store.tables.name(of: .delete))(pg_current_snapshot(), "
            try await store.register("mailer")
            try store.add()
            #expect(try store.value("\(delete) false)") == "mailer0")
            try await store.untilOlderTransactionsEnd()
            try store.run("UPDATE _howdah_history_consumer SET snapshot = pg_current_snapshot()")
            #expect(try store.value("\(delete) false)") == "0")
            #expect(
                try store.value(
                    "SELECT bool_and(pg_visible_in_snapshot(txid, deleted)) FROM _howdah_history, _howdah_history_state"
                )
                    == "true")
            // Rows that nobody is to read need not grow old.
            try store.run(
                "UPDATE _howdah_history_current SET slot = 1; UPDATE _howdah_history_state SET closed_at[0] = now()"
            )
            #expect(try store.call(.purge, "0::smallint"))
            // An earlier position takes nothing back.
            let deleted = try store.value("SELECT deleted FROM _howdah_history_state")
            _ = try store.value("SELECT removed FROM \(store.tables.name(of: .delete))('3:3:', false)")
            #expect(try store.value("SELECT deleted FROM _howdah_history_state") == deleted)
            // What one of two positions sees is deleted.
            try store.run("UPDATE _howdah_history_state SET deleted = '10:20:11,14'")
            _ = try store.value(
                "SELECT removed FROM \(store.tables.name(of: .delete))('12:30:12,14,25', false)")
            #expect(try store.value("SELECT deleted FROM _howdah_history_state") == "14:30:14,25")
        }
    }

    @Test func rowsAreDeletedInParts() async throws {
        try await HistoryStore.with { store in
            try store.run(
                "\(HistoryStore.insertion()) FROM generate_series(1, 10050); \(HistoryStore.insertion(slot: 3)) FROM generate_series(1, 50)"
            )
            let position = try #require(try store.value("pg_current_snapshot()"))
            try store.add()
            let delete = "SELECT removed FROM \(store.tables.name(of: .delete))('\(position)', true)"
            #expect(try store.value(delete) == "10000")
            #expect(try store.value(delete) == "100")
            #expect(try store.value(delete) == "0")
            #expect(try store.value("SELECT count(*) FROM _howdah_history") == "1")
        }
    }

    @Test func preservedValuesAreErasedAndTheDeletionStays() async throws {
        try await HistoryStore.with { store in
            try store.add(ids: "{1,2}", tombstones: #"[{"email": "ada@x"}, {"email": "bob@x"}]"#)
            try store.add(ids: "{3}", tombstones: #"[{"email": "eve@x"}]"#)
            let erase = "SELECT \(store.tables.name(of: .erase))"
            #expect(try store.value("\(erase)('{Folder}', '{2}')") == "0")
            #expect(try store.value("\(erase)('{Folder,Note}', '{2}')") == "1")
            #expect(try store.value("\(erase)('{Folder,Note}', '{2}')") == "0", "erased before")
            #expect(
                try store.value(
                    "SELECT string_agg(ids::text || tombstones, ' ' ORDER BY number) FROM _howdah_history")
                    == #"{1,2}[{"email": "ada@x"}, null] {3}[{"email": "eve@x"}]"#)
        }
    }

    @Test func aSnapshotOfTheFutureIsRefused() async throws {
        try await HistoryStore.with { store in
            #expect(throws: PostgresError.self) {
                try store.value(
                    "SELECT removed FROM \(store.tables.name(of: .delete))('900000000:900000000:', false)")
            }
        }
    }

    /// Purges a slot in a session of its own, where the purge may wait for locks.
    private func purge(slot: Int, at url: String, by function: String) async throws -> Bool {
        try await onOtherThread {
            let keeper = try Connection(ConnectionConfiguration(url))
            defer { keeper.close() }
            return try keeper.query("SELECT \(function)(\(slot)::smallint)", cached: false).scalar(\.bool)
                == true
        }
    }

    private func onOtherThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }
}
