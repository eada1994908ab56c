import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahSchema
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// What programs meet while the history of their store is turned on, tracked and repaired.
@Suite struct HistoryOfProgramsTests {
    private static func save(_ name: String, in container: PersistentContainer) async throws {
        try await container.perform { context in
            context.insert("Folder")["name"] = name
            try context.save()
        }
    }

    @Test func onlyProgramsThatWereRestartedPassTheGuard() async throws {
        try await HistoryTrial.with { trial in
            let model = try Notebook.model()
            let old = try await PersistentContainer.open(trial.database.url, model: model)
            _ = try trial.history.enable()
            let new = try await PersistentContainer.open(trial.database.url, model: model)
            try await Self.save("old", in: old)
            _ = try trial.history.start()
            let error = await #expect(throws: SaveError.self) { try await Self.save("old again", in: old) }
            #expect("\(error as Any)".contains("55000"), "\(error as Any)")
            #expect(
                error?.message.contains("started after this program opened the store") == true
                    && error?.message.contains("Restart the program") == true, "\(error as Any)")
            let batch = await #expect(throws: SaveError.self) {
                try await old.perform { context in
                    _ = try context.execute(
                        BatchDeleteRequest(FetchRequest<ManagedObject>(entityName: "Folder")))
                }
            }
            #expect(batch?.message.contains("Restart the program") == true, "\(batch as Any)")
            try await Self.save("new", in: new)
            let entries = try trial.history.list(limit: 10)
            #expect(entries.map(\.entity) == ["Folder"] && entries.map(\.origin) == ["save"])
            _ = try trial.history.trust()
            try await Self.save("new again", in: new)
            #expect(try trial.history.list(limit: 10).count == 2)
            await old.close()
            await new.close()
        }
    }

    @Test func aProgramIsToldThatTheHistoryWasRemoved() async throws {
        try await HistoryTrial.with { trial in
            _ = try trial.history.enable()
            _ = try trial.history.start()
            _ = try trial.history.trust()
            let container = try await PersistentContainer.open(trial.database.url, model: Notebook.model())
            try await Self.save("a", in: container)
            try trial.history.disable()
            let error = await #expect(throws: SaveError.self) { try await Self.save("b", in: container) }
            #expect(
                error?.message.contains("removed after this program opened the store") == true
                    && error?.message.contains("Restart the program") == true, "\(error as Any)")
            await container.close()
        }
    }

    /// Triggers write the changes of a tracked entity for every program, so the guard leaves its tables out.
    ///
    /// Control: on the table of another entity, the same programs are refused.
    @Test(arguments: [false, true]) func theGuardLeavesTrackedEntitiesOut(isTrackedBefore: Bool) async throws
    {
        try await HistoryTrial.with { trial in
            let old = try await PersistentContainer.open(trial.database.url, model: Notebook.model())
            _ = try trial.history.enable()
            let new = try await PersistentContainer.open(trial.database.url, model: Notebook.model())
            if isTrackedBefore { _ = try trial.history.track("Folder") }
            _ = try trial.history.start()
            if !isTrackedBefore { _ = try trial.history.track("Folder") }
            let insertion = "INSERT INTO folder (name) VALUES ('sql')"
            #expect(try trial.failure(of: insertion) == nil)
            try await Self.save("old", in: old)
            try await Self.save("new", in: new)
            let origins = try trial.history.list(limit: 9, of: "Folder").map(\.origin)
            #expect(origins == ["save", "other", "other"], "each change once")
            #expect(
                try trial.failure(of: "INSERT INTO tag (_id, name) VALUES (1, 'x')") == "55000", "control")
            let triggers = HistoryTriggers(of: try StoreSchema(Notebook.model()), on: trial.connection)
            #expect(try triggers.missing() == [])
            // Without the triggers, the guard is back in the same transaction.
            #expect(try trial.history.untrack("Folder"))
            #expect(try trial.failure(of: insertion) == "55000")
            #expect(try trial.history.track("Folder"))
            _ = try trial.history.trust()
            #expect(try trial.failure(of: insertion) == nil)
            #expect(try trial.history.list(limit: 9, of: "Folder").count == 4)
            await old.close()
            await new.close()
        }
    }

    @Test func trackedTablesGetEachChangeOnce() async throws {
        try await HistoryTrial.with { trial in
            _ = try trial.history.enable()
            _ = try trial.history.start()
            _ = try trial.history.trust()
            _ = try trial.history.track("Folder")
            let container = try await PersistentContainer.open(trial.database.url, model: Notebook.model())
            try await Self.save("a", in: container)
            #expect(try trial.history.list(limit: 10).map(\.origin) == ["save"])
            try trial.run("UPDATE folder SET name = 'b'")
            #expect(try trial.history.list(limit: 10).map(\.origin) == ["other", "save"])
            await container.close()
        }
    }

    /// A transaction's saves set what keeps the triggers quiet, and take it back, so that SQL between them is tracked.
    ///
    /// Control: with the setting for the whole transaction, as the first design had it, the change is missing.
    @Test(arguments: [false, true]) func sqlBetweenSavesIsTracked(staysSet: Bool) async throws {
        try await HistoryTrial.with { trial in
            _ = try trial.history.enable()
            _ = try trial.history.start()
            _ = try trial.history.trust()
            _ = try trial.history.track("Folder")
            let container = try await PersistentContainer.open(trial.database.url, model: Notebook.model())
            try await container.perform(isolation: .readCommitted) { context in
                let folder = context.insert("Folder")
                folder["name"] = "a"
                try context.save()
                if staysSet {
                    _ = try context.fetchRows(
                        String.self, sql: "SELECT pg_catalog.set_config('howdah.history', 'on', true)")
                }
                _ = try context.fetchRows(
                    String.self, sql: "UPDATE folder SET name = 'sql' WHERE name = 'a' RETURNING name")
                context.insert("Folder")["name"] = "b"
                try context.save()
            }
            let origins = try trial.history.list(limit: 9, of: "Folder").map(\.origin).sorted()
            #expect(origins == (staysSet ? ["save"] : ["other", "save"]), "the saves are one transaction")
            await container.close()
        }
    }

    /// A transaction of another program is one history transaction for each statement, and others may lie between them. Saves
    /// of one transaction are one.
    ///
    /// Control: joined by their transaction, as the first wording promised, the changes have no order.
    @Test func statementsOfOtherProgramsAreTransactionsOfTheirOwn() async throws {
        try await HistoryTrial.with { trial in
            _ = try trial.history.enable()
            _ = try trial.history.start()
            _ = try trial.history.trust()
            _ = try trial.history.track("Folder")
            let container = try await PersistentContainer.open(trial.database.url, model: Notebook.model())
            let token = try await container.currentHistoryToken()
            let other = try trial.connect()
            defer { other.close() }
            try trial.run("BEGIN; INSERT INTO folder (name) VALUES ('a')")
            try other.executeScript("INSERT INTO folder (name) VALUES ('b')")
            try trial.run("INSERT INTO folder (name) VALUES ('c'); COMMIT")
            let url = trial.database.url
            try await container.perform(isolation: .readCommitted) { context in
                context.insert("Folder")["name"] = "d"
                try context.save()
                let between = try Connection(ConnectionConfiguration(url))
                defer { between.close() }
                try between.executeScript("INSERT INTO folder (name) VALUES ('e')")
                context.insert("Folder")["name"] = "f"
                try context.save()
            }
            let result = try await container.perform { try $0.execute(HistoryRequest.fetch(after: token)) }
            let names = try trial.connection.query("SELECT _id, name FROM folder", cached: false)
                .map { ($0[0].int64, $0[1].string()) }
            let byKey = Dictionary(uniqueKeysWithValues: names)
            let delivered = result.transactions.map { transaction in
                transaction.changes.compactMap { byKey[$0.changedObjectID.key] }.joined()
            }
            #expect(delivered == ["a", "b", "c", "e", "df"])
            let joined = try trial.value(
                "SELECT count(DISTINCT txid) FROM _howdah_history WHERE author = 'postgres'")
            #expect(joined == "3", "control: 'a' and 'c' cannot be one, as 'b' is between them")
            await container.close()
        }
    }

    /// Control: opened without the check, the store's tokens would hide changes.
    @Test func aProgramRefusesTheHistoryOfAnotherCluster() async throws {
        try await HistoryTrial.with { trial in
            _ = try trial.history.enable()
            _ = try trial.history.start()
            try trial.run("UPDATE _howdah_history_state SET system_identifier = 5")
            let (url, model) = (trial.database.url, try Notebook.model())
            let error = await #expect(throws: StoreError.self) {
                try await PersistentContainer.open(url, model: model)
            }
            #expect(error?.code == .historyOfAnotherCluster)
            #expect(error?.message.contains("howdah history adopt") == true)
            #expect(try trial.history.adopt())
            let container = try await PersistentContainer.open(url, model: model)
            try await Self.save("a", in: container)
            await container.close()
        }
    }

    /// Restoring a dump into its own database keeps cluster and database, and the numbers go on.
    ///
    /// Control: with the identifier of the new table, as if there were no check, the token hides what was lost.
    @Test func aDumpThatIsRestoredInPlaceExpiresTokens() async throws {
        try await HistoryTrial.with { trial in
            for step in [{ _ = try trial.history.enable() }, { _ = try trial.history.start() }] { try step() }
            _ = try trial.history.trust()
            let (url, model) = (trial.database.url, try Notebook.model())
            let container = try await PersistentContainer.open(url, model: model)
            try await container.closing { container in
                try await Self.save("a", in: container)
                // The dump of the state, without the changes.
                try trial.run("CREATE TABLE dump AS SELECT * FROM _howdah_history_state")
                try await Self.save("b", in: container)
                let token = try await container.currentHistoryToken()
                func read() async throws -> Int {
                    try await container.perform {
                        try $0.execute(HistoryRequest.fetch(after: token)).transactions.count
                    }
                }
                #expect(try await read() == 0)
                try trial.run(
                    """
                    ALTER TABLE _howdah_history_state RENAME TO former;
                    CREATE TABLE _howdah_history_state (LIKE former INCLUDING ALL);
                    INSERT INTO _howdah_history_state SELECT * FROM dump;
                    DROP TABLE former
                    """)
                await #expect(throws: HistoryError.self) { try await read() }
                let error = await #expect(throws: StoreError.self) {
                    try await PersistentContainer.open(url, model: model)
                }
                #expect(error?.code == .historyOfAnotherCluster)
                #expect(trial.code { try trial.history.keep() } == "otherHistory")
                await #expect(throws: HistoryError.self) { try await container.currentHistoryToken() }
                let former = try #require(try trial.value("SELECT table_oid FROM _howdah_history_state"))
                try trial.run("UPDATE _howdah_history_state SET table_oid = tableoid")
                #expect(try await read() == 0, "control")
                try trial.run("UPDATE _howdah_history_state SET table_oid = \(former)")
                try trial.history.reset()
                await #expect(throws: HistoryError.self) { try await read() }
                try await Self.save("c", in: container)
            }
        }
    }

    @Test func aHistoryOfAnEarlierVersionIsReset() async throws {
        try await HistoryTrial.with { trial in
            for step in [{ _ = try trial.history.enable() }, { _ = try trial.history.start() }] { try step() }
            try trial.run("ALTER TABLE _howdah_history_state DROP COLUMN table_oid")
            let (url, model) = (trial.database.url, try Notebook.model())
            let error = await #expect(throws: StoreError.self) {
                try await PersistentContainer.open(url, model: model)
            }
            #expect(error?.code == .historyOfAnotherCluster)
            try trial.history.reset()
            try await PersistentContainer.open(url, model: model).closing { container in
                try await Self.save("a", in: container)
                _ = try await container.currentHistoryToken()
            }
        }
    }

    @Test func temporaryStoresCanHaveAHistory() async throws {
        var options = StoreOptions()
        options.history = .enabled
        // Each is a copy of the same database.
        for _ in 0..<2 {
            try await withTemporaryDatabase(for: Notebook.model(), options: options) { database in
                let container = try await PersistentContainer.open(
                    database.url, model: Notebook.model(), options: options)
                try await Self.save("a", in: container)
                await container.close()
                let connection = try Connection(ConnectionConfiguration(database.url))
                defer { connection.close() }
                let history = HistoryAdministration(connection)
                #expect(try history.status().phase == "trusted")
                #expect(try history.list(limit: 5).count == 1)
            }
        }
        try await withTemporaryDatabase(for: Notebook.model()) { database in
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            #expect(try HistoryRecord(in: "public", on: connection) == nil)
        }
    }
}
