import Foundation
import HowdahModel
import HowdahSchema
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// What a program reads of the history when it opens a store.
@Suite struct HistoryRecordTests {
    @Test func aStoreWithoutHistoryHasNoRecord() async throws {
        try await withTemporaryDatabase(for: Notebook.model()) { database in
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            #expect(try HistoryRecord(in: "public", on: connection) == nil)
        }
    }

    @Test func theRecordSaysHowFarTheHistoryIs() async throws {
        try await HistoryStore.with(isStarted: false) { store in
            func record() throws -> HistoryRecord {
                try #require(try HistoryRecord(in: "public", on: store.connection))
            }
            #expect(try record().phase == .enabled && record().marksSaves && !record().isTracked)
            #expect(try record().refusal(in: "public") == nil)
            #expect(try record().retention == .seconds(7 * 86_400))
            try store.run(
                "UPDATE _howdah_history_current SET slot = 0; UPDATE _howdah_history_state SET is_guarded = TRUE"
            )
            #expect(try record().phase == .guarded && record().marksSaves)
            try store.run("UPDATE _howdah_history_state SET is_guarded = FALSE")
            #expect(try record().phase == .trusted && !record().marksSaves)
            try store.run("UPDATE _howdah_history_state SET is_tracked = TRUE")
            #expect(try record().marksSaves && record().isTracked)
            let identity = try store.value("SELECT incarnation FROM _howdah_history_state")
            #expect(try record().incarnation.uuidString.lowercased() == identity)
            let identifier = try store.value("SELECT system_identifier FROM pg_control_system()")
            #expect(try "\(record().systemIdentifier)" == identifier)
        }
    }

    /// Control: without the check, each of these stores opens, and tokens hide changes.
    @Test(arguments: [
        ("UPDATE _howdah_history_state SET system_identifier = 5", "another database cluster", true),
        (
            "UPDATE _howdah_history_state SET heartbeat = '900000000:900000000:'", "another database cluster",
            true
        ),
        ("UPDATE _howdah_history_state SET database_oid = 5", "another database.", false),
        ("UPDATE _howdah_history_state SET table_oid = 5", "restored from a dump", false),
        ("DELETE FROM _howdah_history_state", "incomplete", false),
        ("DELETE FROM _howdah_history_current", "incomplete", false),
        ("DELETE FROM _howdah_history_current; DELETE FROM _howdah_history_state", "incomplete", false),
    ])
    func aHistoryOfAnotherServerIsRefused(change: String, words: String, mayBeUpgrade: Bool) async throws {
        try await HistoryStore.with { store in
            try store.run(change)
            let record = try #require(try HistoryRecord(in: "public", on: store.connection))
            let refusal = try #require(record.refusal(in: "public"))
            #expect(refusal.contains(words) && refusal.contains("howdah history reset"), "\(refusal)")
            #expect(refusal.contains("howdah history adopt") == mayBeUpgrade)
            try store.inTransaction {
                try HistoryInstallation(of: store.schema, on: store.connection).reset()
            }
            let new = try #require(try HistoryRecord(in: "public", on: store.connection))
            #expect(new.refusal(in: "public") == nil && new.incarnation != record.incarnation)
            #expect(new.phase == .trusted)
        }
    }

    @Test func aNewHistoryHidesTheOldOne() async throws {
        try await HistoryStore.with { store in
            try store.add()
            try await store.register("mailer")
            try store.inTransaction {
                try HistoryInstallation(of: store.schema, on: store.connection).reset()
            }
            #expect(try store.value("SELECT count(*) FROM _howdah_history") == "0")
            #expect(try store.value("SELECT count(*) FROM _howdah_history_consumer") == "1")
            #expect(try store.value("SELECT purged_txid FROM _howdah_history_state") == "0")
            try store.add()
            #expect(
                try store.value(
                    "SELECT pg_visible_in_snapshot(txid, deleted) FROM _howdah_history, _howdah_history_state"
                )
                    == "false")
        }
    }

    /// Programs of format 1 read such a store and do not write it. Over existing tables the number has an offset.
    @Test(arguments: [(1, 2), (101, 102)]) func theFormatShutsOldProgramsOut(before: Int32, after: Int32)
        async throws
    {
        try await withTemporaryDatabase(for: Notebook.model()) { database in
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            let schema = try StoreSchema(Notebook.model())
            try connection.executeScript("UPDATE _howdah_store SET format_version = \(before)")
            func format() throws -> StoreFormat {
                try #require(try StoreRecord(in: "public", on: connection, for: .none)).format
            }
            #expect(try !format().hasHistory && format().refusal(in: "public", library: 1) == nil)
            try HistoryInstallation(of: schema, on: connection).make(isStarted: true)
            let new = try format()
            #expect(new == StoreFormat(recorded: after, readableFrom: 1, writableFrom: 2) && new.hasHistory)
            #expect(new.refusal(in: "public", library: 1, reading: true) == nil)
            #expect(
                new.refusal(in: "public", library: 1)?.contains("needs a newer version of Howdah") == true)
            #expect(new.refusal(in: "public") == nil)
            try HistoryInstallation(of: schema, on: connection).remove()
            #expect(try format() == StoreFormat(recorded: before, readableFrom: 1, writableFrom: 1))
        }
    }
}
