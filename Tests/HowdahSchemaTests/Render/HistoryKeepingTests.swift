import HowdahModel
import HowdahSchema
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// The functions of the owner that keep the history: heartbeats and rotation.
@Suite struct HistoryKeepingTests {
    @Test func aHeartbeatIsWrittenEveryFewSeconds() async throws {
        try await HistoryStore.with { store in
            #expect(try !store.call(.heartbeat))
            try store.run(
                "UPDATE _howdah_history_state SET heartbeat_at = now() - interval '5 s', heartbeat = '3:3:'")
            #expect(try store.call(.heartbeat))
            #expect(try store.value("SELECT heartbeat::text <> '3:3:' FROM _howdah_history_state") == "true")
            #expect(try store.value("SELECT count(*) FROM _howdah_history_era") == "0")
        }
    }

    /// Control: the first wording, `heartbeat_at < now() - 4 s`, writes nothing until this clock is past the other one.
    @Test func aClockThatIsBehindDoesNotStopHeartbeats() async throws {
        try await HistoryStore.with { store in
            try store.run("UPDATE _howdah_history_state SET heartbeat_at = now() + interval '10 minutes'")
            #expect(
                try store.value("SELECT heartbeat_at < now() - interval '4 s' FROM _howdah_history_state")
                    == "false")
            #expect(try store.call(.heartbeat))
            #expect(try !store.call(.heartbeat))
        }
    }

    @Test func anotherEraIsRecordedAtOnce() async throws {
        try await HistoryStore.with { store in
            let present = try store.value(HistoryTables.eraExpression)
            try store.run(
                "UPDATE _howdah_history_state SET heartbeat_era = '0000000A/17', heartbeat = '5:9:5,7'")
            #expect(try store.call(.heartbeat))
            #expect(
                try store.value(
                    "SELECT ended_era || ' ' || followed_by || ' ' || heartbeat FROM _howdah_history_era")
                    == "0000000A/17 \(present ?? "") 5:9:5,7")
            #expect(try store.value("SELECT heartbeat_era FROM _howdah_history_state") == present)
            // A timeline number may come again after pg_upgrade. Control: keyed by it alone, the row exists already.
            try store.run("UPDATE _howdah_history_state SET heartbeat_era = '0000000A/18'")
            #expect(try store.call(.heartbeat))
            #expect(
                try store.value(
                    "SELECT count(DISTINCT split_part(ended_era, '/', 1)) || '.' || count(*) FROM _howdah_history_era"
                ) == "1.2")
        }
    }

    @Test func aPositionIsCutBackEraByEra() async throws {
        try await HistoryStore.with { store in
            func rewound(_ position: String, _ era: String) throws -> String? {
                try store.value("SELECT \(store.tables.name(of: .rewound))('\(position)', '\(era)')")
            }
            try store.run(
                """
                INSERT INTO _howdah_history_era SELECT 'a', 'b', '100:200:100,150', now(), now();
                INSERT INTO _howdah_history_era SELECT 'b', 'c', '90:300:90', now(), now();
                UPDATE _howdah_history_state SET heartbeat_era = 'c', heartbeat = '400:400:'
                """)
            #expect(try rewound("250:250:", "a") == "90:200:90,100,150")
            #expect(try rewound("120:180:120", "a") == "90:180:90,100,120,150")
            #expect(try rewound("350:350:", "b") == "90:300:90")
            #expect(try rewound("350:500:350", "c") == "350:400:350")
            #expect(try rewound("3:3:", "nobody") == nil)
            let present = try #require(try store.value(HistoryTables.eraExpression))
            #expect(try rewound("7:9:7", present) == "7:9:7")
        }
    }

    @Test func aHeartbeatReachesTheDisk() async throws {
        try await HistoryStore.with { store in
            try store.run("UPDATE _howdah_history_state SET heartbeat_at = now() - interval '5 s'")
            try store.run("SET synchronous_commit = off; BEGIN")
            #expect(try store.call(.heartbeat))
            #expect(try store.value("current_setting('synchronous_commit')") == "on")
            try store.run("COMMIT")
            #expect(try store.value("current_setting('synchronous_commit')") == "off")
        }
    }

    @Test func anotherClustersHistoryGetsNoHeartbeat() async throws {
        try await HistoryStore.with { store in
            for change in [
                "system_identifier = 5", "database_oid = 5", "table_oid = 5",
                "heartbeat = '900000000:900000000:'",
            ] {
                try store.run("BEGIN; UPDATE _howdah_history_state SET heartbeat_era = 'x', \(change)")
                #expect(try !store.call(.heartbeat), "\(change)")
                try store.run("ROLLBACK")
            }
        }
    }

    @Test func theRingTurnsToTheNextEmptySlot() async throws {
        try await HistoryStore.with { store in
            let current = "SELECT slot FROM _howdah_history_current"
            #expect(try !store.call(.rotate))
            let age = "UPDATE _howdah_history_current SET opened_at = now() - interval '2 days'"
            try store.add(slot: 0)
            try store.add(slot: 1)
            try store.run(age)
            #expect(try store.call(.rotate))
            #expect(try store.value(current) == "2", "slot 1 is full")
            #expect(
                try store.value(
                    "SELECT closed_at[0] IS NOT NULL AND closed_at[2] IS NULL FROM _howdah_history_state")
                    == "true")
            for slot in 2...6 {
                try store.add(slot: slot)
                try store.run(age)
                #expect(try store.call(.rotate))
            }
            #expect(try store.value(current) == "7")
            try store.run(age)
            #expect(try !store.call(.rotate), "no slot is empty, so the current one grows")
            #expect(try store.value(current) == "7")
        }
    }

    @Test func theRingStandsStillUntilTheStart() async throws {
        try await HistoryStore.with(isStarted: false) { store in
            try store.run("UPDATE _howdah_history_current SET opened_at = now() - interval '2 days'")
            #expect(try !store.call(.rotate))
            try store.add(age: "30 days")
            #expect(try !store.call(.purge, "0::smallint"))
            #expect(try store.value("SELECT \(store.tables.slotExpression)") == "0")
        }
    }
}
