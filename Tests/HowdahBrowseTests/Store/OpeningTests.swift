import HowdahModel
import HowdahRuntime
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahBrowse

/// Opening a store only to browse it.
@Suite struct OpeningTests {
    @Test func storesOpenWithTheModelOfTheirRecordAndCannotBeWritten() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            let container = try await PersistentContainer.openForBrowsing(database.url)
            #expect(container.model == (try Shop.model()))
            let settings = try await BrowseReader(container: container).read { session in
                try [
                    "transaction_read_only", "statement_timeout", "lock_timeout", "TimeZone",
                    "application_name",
                ]
                .map { name in
                    var parameters = Parameters()
                    try parameters.append(name)
                    return try session.connection.query(
                        "SELECT pg_catalog.current_setting($1)", parameters
                    ).scalar { $0.string() }
                }
            }.value
            #expect(settings == ["on", "2s", "1s", "UTC", "howdah browse"])
            await #expect(throws: (any Error).self) {
                try await container.perform { context in
                    context.insert("Department")["name"] = "New"
                    try context.save()
                }
            }
            await container.close()
        }
    }

    @Test func emptySchemasGetNoStore() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            let sql = PlainSQL(url: database.url)
            try sql.rows("CREATE SCHEMA bare")
            var options = StoreOptions()
            options.schemaName = "bare"
            let error = await #expect(throws: StoreError.self) {
                _ = try await PersistentContainer.openForBrowsing(database.url, options: options)
            }
            #expect(error?.code == .notAStore && error?.message.contains("howdah migrate apply") == true)
            let tables = try sql.rows(
                "SELECT relname::text FROM pg_class WHERE relnamespace = 'bare'::regnamespace")
            #expect(tables.isEmpty)
        }
    }

    @Test func tablesWithoutAStoreAreShownAsTheyAre() async throws {
        let tables = [
            "CREATE TABLE customer (id bigint PRIMARY KEY, name text NOT NULL, born timestamptz)",
            "CREATE TABLE invoice (id bigint PRIMARY KEY, total numeric, customer_id bigint REFERENCES customer)",
            "INSERT INTO customer VALUES (7, 'Ada', now())", "INSERT INTO invoice VALUES (9, 12.5, 7)",
        ]
        try await Legacy.withSite(tables) { site, sql in
            let invoices = try await Legacy.text("/objects/Invoice", of: site)
            #expect(invoices.contains("12.5") && invoices.contains(">Ada</a>"))
            #expect(try await Legacy.text("/object/Customer/7", of: site).contains("/object/Invoice/9"))
            for page in ["/", "/structure/Invoice", "/migrations", "/doctor", "/diagram"] {
                _ = try await Legacy.text(page, of: site)
            }
            #expect(try await Legacy.text("/", of: site).contains("The schema has no store."))
            let migrations = try await Legacy.text("/migrations", of: site)
            #expect(migrations.contains("The schema has no store") && !migrations.contains("was created"))
            let names = try sql.rows(
                "SELECT relname::text FROM pg_class WHERE relnamespace = 'legacy'::regnamespace AND relkind = 'r' ORDER BY 1"
            )
            #expect(names == [["customer"], ["invoice"]])
        }
    }

    /// Tables without a record are no store that another program could destroy or replace.
    @Test func tablesWithoutAStoreAreReadInEverySession() async throws {
        try await Legacy.withSite(["CREATE TABLE customer (id bigint PRIMARY KEY, name text)"]) { site, sql in
            let request = Legacy.gate.request("/objects/Customer")
            let statuses = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<6 { group.addTask { await site.respond(to: request).status } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 200, count: 6))
            try sql.rows(
                """
                SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                WHERE application_name = 'howdah browse' AND datname = current_database()
                """
            )
            // The first request may notice that its session has ended.
            _ = await site.respond(to: request)
            #expect(await site.respond(to: request).status == 200)
        }
    }

    /// Differences between tables and the model that was made from them concern these tables only.
    @Test func tablesThatCannotBeMappedAreNotes() async throws {
        let blind = """
            CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
            CREATE TABLE sorted (id bigint PRIMARY KEY, name text COLLATE blind)
            """
        let tables = [
            "CREATE TABLE customer (id bigint PRIMARY KEY, name text)",
            "CREATE TABLE above (id bigint PRIMARY KEY, name text)",
            "CREATE TABLE below (more text) INHERITS (above)",
            "CREATE TABLE line (id bigint PRIMARY KEY, above_id bigint REFERENCES above)",
            """
            DO $$ BEGIN IF EXISTS (SELECT FROM pg_collation WHERE collprovider = 'i') THEN \(blind); END IF; END $$
            """,
        ]
        try await Legacy.withSite(tables) { site, sql in
            _ = try await Legacy.text("/objects/Customer", of: site)
            _ = try await Legacy.text("/objects/Line", of: site)
            let first = try await Legacy.text("/", of: site)
            #expect(first.contains("above: other tables inherit from this table"))
            let hasICU =
                !(try sql.rows("SELECT 1 FROM pg_collation WHERE collprovider = 'i' LIMIT 1").isEmpty)
            #expect(!hasICU || first.contains("nondeterministic collation"))
        }
    }

    @Test("A table that could not be saved is shown without its versions, and a note has the reason")
    func tablesThatCannotBeSavedAreShown() async throws {
        let tables = [
            "CREATE TABLE a (id bigint PRIMARY KEY, _version bigint NOT NULL DEFAULT 1, d date NOT NULL, t text)",
            "INSERT INTO a VALUES (3, 1, now(), 'three')",
            """
            CREATE TABLE b (id bigint PRIMARY KEY, _version bigint NOT NULL DEFAULT 1, t text,
            a bigint REFERENCES a ON DELETE SET DEFAULT DEFAULT 3)
            """,
            "INSERT INTO b VALUES (4, 1, 'four', 3)",
            "CREATE TABLE above (id bigint PRIMARY KEY, _version bigint NOT NULL DEFAULT 1)",
            "CREATE TABLE below (more text) INHERITS (above)",
        ]
        try await Legacy.withSite(tables) { site, _ in
            let first = try await Legacy.text("/", of: site)
            #expect(first.contains("/objects/A\"") && first.contains("/objects/B\""))
            #expect(first.contains("a.d: the column is NOT NULL without a default"))
            #expect(first.contains("b.a: a save writes its rows in no fixed order"))
            #expect(first.contains("The pages only read, and show the table."))
            #expect(
                !first.contains("a: The table has no column") && !first.contains("b: The table has no column")
            )
            // What stands in the way of reading still does.
            #expect(
                first.matches(of: /above: other tables inherit/).count == 1
                    && !first.contains("/objects/Above"))
            #expect(try await Legacy.text("/objects/A", of: site).contains("three"))
            #expect(try await Legacy.text("/object/B/4", of: site).contains("/object/A/3"))
            #expect(try await Legacy.text("/migrations", of: site).contains("have the columns"))
        }
    }

    /// What a reader of a page can do if the store was changed below the program.
    @Test func changesOfTheStoreAreNamed() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            let sql = PlainSQL(url: database.url)
            let gate = BrowseGate(port: 8_084)
            let site = try await BrowseSite.opening(database.url, gate: gate)
            func words(_ page: String) async throws -> String {
                let response = await site.respond(to: gate.request(page))
                #expect(response.status == 503)
                return try await response.text()
            }
            try sql.rows("ALTER TABLE employee ALTER COLUMN name TYPE bytea USING NULL")
            #expect(try await words("/objects/Employee").contains("The tables differ from the model"))
            try sql.rows("ALTER TABLE employee DROP COLUMN name")
            #expect(try await words("/objects/Employee").contains("The tables differ from the model"))
            try sql.rows("UPDATE _howdah_store SET store_uuid = gen_random_uuid()")
            try sql.rows(
                """
                SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                WHERE application_name = 'howdah browse' AND datname = current_database()
                """
            )
            _ = await site.respond(to: gate.request("/"))
            let text = try await words("/")
            #expect(text.contains("Restart howdah browse") && !text.contains("Nothing was saved"))
            await site.close()
        }
    }
}

extension BrowseGate {
    /// Returns a request that has the session of the gate; a first one takes the token.
    func request(_ target: String) -> BrowseRequest {
        BrowseRequest(
            target: target,
            headers: [("Host", "127.0.0.1:\(port)"), ("Cookie", "howdah-browse-\(port)=\(session)")])
    }
}
