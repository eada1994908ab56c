import Foundation

/// Migrations of a million rows, beside the same work as somebody would write it by hand in SQL.
struct Migrations {
    /// One change of the model, and what leaves the same tables behind.
    private struct Change {
        let name: String
        let what: String
        let sql: String
    }

    private static let changes = [
        Change(
            name: "M1", what: "required attribute with a default",
            sql: "ALTER TABLE item ADD COLUMN stock integer NOT NULL DEFAULT 0"),
        Change(name: "M2", what: "rename", sql: "ALTER TABLE item RENAME COLUMN name TO title"),
        Change(
            name: "M3", what: "split, by a mapping model",
            sql: """
                CREATE TABLE detail (_id bigint NOT NULL DEFAULT nextval('_howdah_id'), _version bigint NOT NULL DEFAULT 1,
                    text text COLLATE "C" NOT NULL, item bigint NOT NULL);
                INSERT INTO detail (text, item) SELECT note, _id FROM item WHERE note IS NOT NULL;
                ALTER TABLE detail ADD CONSTRAINT detail_pkey PRIMARY KEY (_id), ADD CONSTRAINT detail_item_key UNIQUE (item);
                ALTER TABLE item DROP COLUMN note;
                ALTER TABLE detail ADD CONSTRAINT detail_item_fkey FOREIGN KEY (item)
                    REFERENCES item (_id) ON DELETE CASCADE DEFERRABLE
                """),
        Change(
            name: "M4", what: "to-one to many-to-many",
            sql: """
                CREATE TABLE category_items (categories bigint NOT NULL, items bigint NOT NULL);
                INSERT INTO category_items SELECT category, _id FROM item WHERE category IS NOT NULL;
                ALTER TABLE category_items ADD CONSTRAINT category_items_pkey PRIMARY KEY (categories, items);
                CREATE INDEX category_items_items_categories_idx ON category_items (items, categories);
                ALTER TABLE item DROP COLUMN category;
                ALTER TABLE category_items ADD CONSTRAINT category_items_categories_fkey FOREIGN KEY (categories)
                    REFERENCES category (_id) ON DELETE CASCADE DEFERRABLE;
                ALTER TABLE category_items ADD CONSTRAINT category_items_items_fkey FOREIGN KEY (items)
                    REFERENCES item (_id) ON DELETE CASCADE DEFERRABLE
                """),
    ]

    private let server: Server
    private let rounds: Int
    private let rows: Int
    /// Another version of Howdah, to compare with.
    private let former: (name: String, program: String)?

    init(_ server: Server, rows: Int, rounds: Int, former: (name: String, program: String)? = nil) {
        self.server = server
        self.rows = rows
        self.rounds = rounds
        self.former = former
    }

    func run() throws {
        try makeStore()
        print("\(rows) rows, best of \(rounds), whole processes, milliseconds")
        let title = former.map { "    \($0.name.prefix(8))     ratio" } ?? ""
        print("                                          by hand    howdah     ratio" + title)
        for change in Self.changes {
            var best = (hand: Double.infinity, howdah: Double.infinity, former: Double.infinity)
            for round in 0..<rounds {
                let hand = try timed { try server.sql("BEGIN;\n\(change.sql);\nCOMMIT", in: $0) }
                best.hand = min(best.hand, hand.seconds)
                // Both versions take turns in being first.
                for isFormer in round.isMultiple(of: 2) ? [true, false] : [false, true] {
                    guard let program = isFormer ? former?.program : Peer.sibling("HowdahBench") else {
                        continue
                    }
                    let howdah = try timed { try migrate($0, change, program) }
                    guard hand.tables == howdah.tables else {
                        throw BenchError(
                            "The migration \(change.name) and the SQL left different tables:\n\(hand.tables)\n\(howdah.tables)"
                        )
                    }
                    if isFormer {
                        best.former = min(best.former, howdah.seconds)
                    } else {
                        best.howdah = min(best.howdah, howdah.seconds)
                    }
                }
            }
            var line = String(
                format: "%11.1f%10.1f%10.2f", best.hand * 1e3, best.howdah * 1e3, best.howdah / best.hand)
            if former != nil {
                line += String(format: "%12.1f%10.2f", best.former * 1e3, best.howdah / best.former)
            }
            print(
                "\(change.name)  \(change.what)".padding(toLength: 38, withPad: " ", startingAt: 0) + line)
        }
    }

    private func migrate(_ database: String, _ change: Change, _ program: String) throws {
        _ = try ChildProgram.run([
            program, "dynamic", "migration-\(change.name)", server.url(database), "0",
        ])
    }

    private func makeStore() throws {
        try server.sql("CREATE DATABASE \(Server.template)")
        _ = try ChildProgram.run([
            Peer.sibling("HowdahBench"), "dynamic", "migration-first", server.url(Server.template), "0",
        ])
        for statement in [
            "INSERT INTO category (_id, name) SELECT i, 'Category ' || i FROM generate_series(1, 1000) i",
            """
            INSERT INTO item (_id, name, price, note, category) SELECT 1000 + i, 'Item ' || i, i % 5000, \
            CASE WHEN i % 2 = 0 THEN 'Note of item ' || i END, 1 + i % 1000 FROM generate_series(1, \(rows)) i
            """,
            "SELECT setval('_howdah_id', \(rows) + 2000)", "VACUUM ANALYZE",
        ] {
            try server.sql(statement, in: Server.template)
        }
    }

    /// What `body` takes on a copy of the store, and what it leaves: columns, constraints, indexes and rows of each table.
    private func timed(_ body: (String) throws -> Void) throws -> (seconds: Double, tables: String) {
        try server.withCopy { database in
            let start = ContinuousClock.now
            try body(database)
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            return (seconds, try server.sql(Self.look, in: database))
        }
    }

    private static let look = """
        SELECT string_agg(line, E'\\n' ORDER BY line) FROM (
            SELECT c.relname || '.' || a.attname || format_type(a.atttypid, a.atttypmod) || a.attnotnull AS line
            FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
            WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relname NOT LIKE '\\_%'
            AND a.attnum > 0 AND NOT a.attisdropped
            UNION ALL SELECT conname || pg_get_constraintdef(oid) FROM pg_constraint
            WHERE connamespace = 'public'::regnamespace AND contype <> 'n' AND conname NOT LIKE '\\_%'
            UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND indexname NOT LIKE '\\_%'
            UNION ALL SELECT table_name || (xpath('/row/c/text()', query_to_xml(
                format('SELECT count(*) AS c FROM public.%I', table_name), false, true, '')))[1]::text
            FROM information_schema.tables WHERE table_schema = 'public' AND table_name NOT LIKE '\\_%') AS lines
        """
}
