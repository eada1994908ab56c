import Foundation
import HowdahModel
import HowdahRuntime
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahBrowse

/// Tables of other programs, with everything that a model of Howdah would not have.
@Suite struct ForeignTablesTests {
    private static let long = String(repeating: "x", count: 63)
    private static let tables = [
        #"CREATE TABLE "we""ird %table" ("id" bigint PRIMARY KEY, "a""b" text, "50%" int, "a b" text)"#,
        #"INSERT INTO "we""ird %table" VALUES (1, '<b>"''%', 50, 'x')"#,
        "CREATE TABLE \"new\nline\" (id bigint PRIMARY KEY, \"two\nlines\" text)",
        "INSERT INTO \"new\nline\" VALUES (1, E'a\nb')",
        #"CREATE TABLE "😀 table" (id bigint PRIMARY KEY, "naïve 😀" text)"#,
        #"INSERT INTO "😀 table" VALUES (1, '😀')"#,
        #"CREATE TABLE "CamelCase" ("Id" bigint PRIMARY KEY, "SELECT" text, "from" text)"#,
        #"INSERT INTO "CamelCase" VALUES (1, 'a', 'b')"#,
        "CREATE TABLE \(long) (id bigint PRIMARY KEY, \(long) text)",
        "INSERT INTO \(long) VALUES (1, 'long')",
        "CREATE TABLE \"select\" (id bigint PRIMARY KEY, \"/\" text, \"..\" text, \"?\" text, \"#\" text)",
        "INSERT INTO \"select\" VALUES (1, 'slash', 'dots', 'question', 'hash')",
        "CREATE TABLE made (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, a int, b int GENERATED ALWAYS AS (a * 2) STORED)",
        "INSERT INTO made (a) VALUES (21)",
        "CREATE TABLE parts (id bigint, day date NOT NULL, text text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day)",
        "CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM ('2024-01-01') TO ('2025-01-01')",
        "INSERT INTO parts VALUES (1, '2024-05-05', 'x')",
        "CREATE TABLE hashed (id bigint PRIMARY KEY, text text) PARTITION BY HASH (id)",
        "CREATE TABLE hashed_0 PARTITION OF hashed FOR VALUES WITH (MODULUS 1, REMAINDER 0)",
        "INSERT INTO hashed VALUES (1, 'x')",
        "CREATE VIEW seen AS SELECT * FROM made",
        "CREATE MATERIALIZED VIEW kept AS SELECT * FROM made",
        "CREATE TABLE keyless (a int, b text)", "INSERT INTO keyless VALUES (1, 'x')",
        "CREATE TABLE named (name text PRIMARY KEY, born date)",
        "INSERT INTO named VALUES ('Ada', 'infinity')",
        "CREATE TABLE uuids (id uuid PRIMARY KEY, at timestamptz)",
        "INSERT INTO uuids VALUES (gen_random_uuid(), 'infinity')",
        "CREATE TABLE kinds (id bigint PRIMARY KEY, a inet, b int4range, c point, d money, e bit(3), f xml, g interval, "
            + "h int[], i text[][], j numeric, k real, l jsonb, m \"char\", n oid, o time, p timestamp, q tsvector)",
        "INSERT INTO kinds VALUES (1, '::1', '[1,2)', '(1,2)', 5, B'101', '<a/>', '1 day', '{1,NULL}', '{{a},{b}}', 'NaN', "
            + "'Infinity', '{\"a\": \"<b>\"}', 'x', 7, '24:00', 'infinity', 'a:1')",
        "CREATE TABLE parent (id bigint PRIMARY KEY, parent_id bigint REFERENCES parent)",
        "INSERT INTO parent VALUES (1, 1), (2, 1)",
        "CREATE TABLE \"secret\" (id bigint PRIMARY KEY, made_id bigint REFERENCES made)",
        "INSERT INTO secret VALUES (1, 1)",
    ]

    /// Values of any length, and keys that the library would not give.
    @Test func longValuesAndNegativeKeysAreShownInPart() async throws {
        let tables = [
            "CREATE TABLE long (id bigint PRIMARY KEY, number numeric, text text)",
            "INSERT INTO long SELECT i, 1e130000, repeat('ä', 10000) || i FROM generate_series(-1, 60) i",
        ]
        try await Legacy.withSite(tables) { site, _ in
            let page = try await Legacy.text("/objects/Long", of: site)
            #expect(page.utf8.count < 250_000 && page.contains("127 KiB"))
            let sorted = try await Legacy.text("/objects/Long?sort=text", of: site)
            #expect(sorted.contains("too long for an address") && !sorted.contains("rel=\"next\""))
            // The server's form of such a number is short.
            #expect(try await Legacy.text("/objects/Long?sort=number", of: site).contains("rel=\"next\""))
            #expect(try await Legacy.text("/delete/Long/-1", of: site, status: 400).contains("negative key"))
            _ = try await Legacy.text("/object/Long/-1", of: site)
        }
    }

    @Test func everyLinkedAddressAnswers() async throws {
        try await Legacy.withSite(Self.tables) { site, _ in
            let statuses = try await Crawl(site: site, gate: Legacy.gate).statuses()
            for (target, status) in statuses { #expect(status == 200, "\(target)") }
            let entities = Set(statuses.compactMap { $0.target.firstMatch(of: /^\/objects\/([^?]*)$/)?.1 })
            print("browse: \(statuses.count) addresses of \(entities.count) tables: \(entities.sorted())")
            let first = try await Legacy.text("/", of: site)
            #expect(first.contains("new\nline: its name, or that of a column, has control characters"))
            #expect(first.contains("keyless: it has no key of one integer"))
            #expect(entities.count >= 9 && statuses.count > 100)
        }
    }

    @Test func tablesThatTheRoleMayNotReadHaveARemedy() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            let sql = PlainSQL(url: database.url)
            try Legacy.create(Self.tables, sql)
            let role = "browse_\(UInt32.random(in: 0 ... .max))"
            try sql.rows("CREATE ROLE \(role) LOGIN")
            try sql.rows("GRANT USAGE ON SCHEMA legacy TO \(role)")
            try sql.rows("GRANT SELECT ON legacy.made TO \(role)")
            try sql.rows("GRANT SELECT (name) ON legacy.named TO \(role)")
            try sql.rows(
                "CREATE TABLE legacy.part (id bigint PRIMARY KEY, name text, hidden text, made_id bigint REFERENCES legacy.made)"
            )
            try sql.rows("INSERT INTO legacy.part VALUES (1, 'seen', 'K5x', 1)")
            try sql.rows("GRANT SELECT (id, name) ON legacy.part TO \(role)")
            let site = try await Legacy.site(database.url.replacing("user=postgres", with: "user=\(role)"))
            let statuses = try await Crawl(site: site, gate: Legacy.gate).statuses()
            for (target, status) in statuses { #expect([200, 403].contains(status), "\(target) \(status)") }
            let text = try await Legacy.text("/objects/Secret", of: site, status: 403)
            #expect(text.contains("may not read") && text.contains("GRANT"))
            #expect(text.contains("permission denied for table"))
            _ = try await Legacy.text("/objects/Made", of: site)
            _ = try await Legacy.text("/export/Secret.csv", of: site, status: 403)
            let object = try await Legacy.text("/object/Part/1", of: site)
            #expect(object.contains("may not read these values: made, hidden.") && object.contains(">seen"))
            #expect(object.contains(role) && !object.contains("K5x"))
            let json = try await Legacy.text("/json/Part/1", of: site)
            #expect(json.contains(#""@unreadable":["hidden","made"],"name":"seen""#))
            _ = try await Legacy.text("/object/Secret/1", of: site, status: 403)
            _ = try await Legacy.text("/json/Secret/1", of: site, status: 403)
            _ = try await Legacy.text("/object/Part/2", of: site, status: 404)
            await site.close()
            try sql.rows("DROP OWNED BY \(role)")
            try sql.rows("DROP ROLE \(role)")
        }
    }
}
