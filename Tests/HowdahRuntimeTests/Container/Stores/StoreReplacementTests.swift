import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// A store that becomes a copy of another one: the old content, or the new one, whatever happens meanwhile.
@Suite(.timeLimit(.minutes(60))) struct StoreReplacementTests {
    private static func inSchema(_ name: String) -> StoreOptions {
        var options = StoreOptions()
        options.schemaName = name
        return options
    }

    /// All rows of a notebook as text, and where its sequence is.
    private static func content(_ sql: PlainSQL, _ schema: String = "public") throws -> [[String?]] {
        var rows: [[String?]] = []
        for table in ["folder", "note", "tag", "folder_tags", "_howdah_metadata"] {
            rows += try sql.rows("SELECT '\(table)', t::text FROM \"\(schema)\".\(table) t ORDER BY t::text")
        }
        return rows + (try sql.rows("SELECT last_value::text, is_called::text FROM \"\(schema)\"._howdah_id"))
    }

    /// Names and definitions of all tables, constraints, indexes, triggers and functions of a schema.
    private static func structure(_ sql: PlainSQL, _ schema: String = "public") throws -> [String] {
        try sql.rows(
            """
            SELECT c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || a.attnotnull
                || coalesce(pg_get_expr(d.adbin, d.adrelid), '')
            FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace JOIN pg_attribute a ON attrelid = c.oid AND attnum > 0
            LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
            WHERE nspname = '\(schema)' AND relkind = 'r' AND NOT attisdropped
            UNION ALL SELECT conname || ' ' || pg_get_constraintdef(c.oid) FROM pg_constraint c JOIN pg_namespace n
                ON n.oid = connamespace WHERE nspname = '\(schema)'
            UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = '\(schema)'
            UNION ALL SELECT proname || prosrc FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace
                WHERE nspname = '\(schema)' ORDER BY 1
            """
        ).compactMap { $0[0]?.replacing("\(schema).", with: "") }
    }

    private static func code(_ body: () async throws -> Void) async -> StoreError.Code? {
        await StoreDestructionTests.code(body)
    }

    /// Runs `body` with a database that has a store `old` of 3 folders and a store `new` of 50, both not open.
    private nonisolated(nonsending)
        static func withTwo(
            folders: Int = 50, _ body: (PlainSQL) async throws -> Void
        ) async throws
    {
        try await withTestDatabase(for: Notebook.model(), options: inSchema("new")) { database in
            for (schema, count) in [("old", 3), ("new", folders)] {
                let container = try await PersistentContainer.open(
                    database.url, model: Notebook.model(), options: inSchema(schema))
                try await Notebook.fill(container, folders: count)
                try await container.setMetadata(["name": .string(schema)])
                await container.close()
            }
            try await body(PlainSQL(url: database.url))
        }
    }

    private static func replace(
        _ sql: PlainSQL, ending: Bool = false, waiting: Duration = .seconds(10)
    ) async throws {
        try await PersistentContainer.replaceStore(
            at: sql.url, options: inSchema("old"), withStoreFrom: sql.url, sourceOptions: inSchema("new"),
            endingSessions: ending, waiting: waiting)
    }

    @Test func theCopyHasEverythingAndAnIdentityOfItsOwn() async throws {
        try await Self.withTwo { sql in
            let container = try await PersistentContainer.open(
                sql.url, model: Notebook.model(), options: Self.inSchema("new"))
            try await container.perform { context in
                let folders = try context.fetch(FetchRequest<ManagedObject>(entityName: "Folder"))
                for (number, folder) in folders.enumerated() {
                    folder["size"] = Decimal(string: "123456789012345678901234567890.\(number)")
                    let tag = context.insert("Tag")
                    tag["name"] = "tag \(number)"
                    folder.members(forKey: "tags").insert(tag)
                }
                for note in try context.fetch(FetchRequest<ManagedObject>(entityName: "Note")).prefix(10) {
                    note["blob"] = Data((0...255).map { UInt8($0) })
                }
                try context.save()
            }
            let expected = try Self.content(sql, "new")
            let structure = try Self.structure(sql, "new")
            let identifiers = [
                container.storeIdentifier,
                try await PersistentContainer.metadata(at: sql.url, options: Self.inSchema("old"))
                    .storeIdentifier,
            ]
            // The source may be open.
            try await Self.replace(sql)
            #expect(try Self.content(sql, "old") == expected && expected.count > 150)
            #expect(try Self.content(sql, "new") == expected)
            #expect(try Self.structure(sql, "old") == structure)
            let metadata = try await PersistentContainer.metadata(at: sql.url, options: Self.inSchema("old"))
            #expect(!identifiers.contains(metadata.storeIdentifier) && metadata["name"] == "new")
            await container.close()
            let copy = try await PersistentContainer.open(
                sql.url, model: Notebook.model(), options: Self.inSchema("old"))
            try await Notebook.fill(copy, folders: 1)
            let texts = try await copy.perform { context in
                var request = FetchRequest<ManagedObject>(entityName: "Folder")
                request.predicate = .format("name == 'folder 7'")
                return try context.fetch(request)[0].orderedMembers(forKey: "notes").map {
                    $0["text"] as? String ?? ""
                }
            }
            #expect(texts.map { $0.prefix(1) } == ["b", "a"])
            await copy.close()
        }
    }

    @Test func aSchemaWithoutAStoreGetsOneFromAnotherDatabase() async throws {
        try await Self.withTwo { sql in
            let database = try EphemeralPostgres.shared().createDatabase()
            defer { try? database.drop() }
            try await PersistentContainer.replaceStore(
                at: database.url, options: Self.inSchema("copy"), withStoreFrom: sql.url,
                sourceOptions: Self.inSchema("new"))
            let copy = PlainSQL(url: database.url)
            #expect(try Self.content(copy, "copy") == Self.content(sql, "new"))
            #expect(try Self.structure(copy, "copy") == Self.structure(sql, "new"))
            // The same schema of another database is another store.
            try await PersistentContainer.replaceStore(
                at: database.url, options: Self.inSchema("old"), withStoreFrom: sql.url,
                sourceOptions: Self.inSchema("old"))
            #expect(try Self.content(copy, "old") == Self.content(sql, "old"))
        }
    }

    @Test func whatCannotBeReplacedIsRefusedAsItWas() async throws {
        try await Self.withTwo { sql in
            let before = try Self.content(sql, "old")
            func refused(_ code: StoreError.Code, _ words: String, undoing: String? = nil, _ setup: String)
                async throws
            {
                try sql.rows(setup)
                do {
                    try await Self.replace(sql, waiting: .milliseconds(100))
                    Issue.record("\(setup) was not refused")
                } catch let error as StoreError {
                    #expect(error.code == code && error.message.contains(words), "\(error)")
                }
                #expect(try Self.content(sql, "old") == before, "\(setup)")
                if let undoing { try sql.rows(undoing) }
            }
            try await refused(
                .hasDependents, "titles", undoing: "DROP VIEW titles",
                "CREATE VIEW titles AS SELECT name FROM old.folder")
            try await refused(
                .hasDependents, "Row security", undoing: "ALTER TABLE old.note DISABLE ROW LEVEL SECURITY",
                "ALTER TABLE old.note ENABLE ROW LEVEL SECURITY")
            try await refused(
                .hasDependents, "Row security", undoing: "DROP POLICY p ON old.note",
                "CREATE POLICY p ON old.note USING (true)")
            try await refused(
                .migrationFailed, "steps left", undoing: "DROP TABLE new._howdah_pending",
                """
                CREATE TABLE new._howdah_pending AS SELECT 1::bigint AS number, NULL::bigint AS last_key, NULL::text AS failure,
                NULL::timestamptz AS failed_at,
                '{"reason":"r","tables":[],"statements":[],"lock":"no lock","rewritesTable":false,"isRule":false,"execution":"online"}'::jsonb
                AS step
                """)
            // A row of the source that breaks a rule of its model.
            try sql.rows("ALTER TABLE new.note DROP CONSTRAINT note_folder_fkey")
            try await refused(
                .database, "failed in the database", undoing: "DELETE FROM new.folder",
                "INSERT INTO new.note (_id, _version, text, folder) VALUES (900000, 1, 'x', 900001)")
        }
    }

    @Test func aStoreIsNotReplacedByItselfOrByNothing() async throws {
        try await Self.withTwo { sql in
            let before = try Self.content(sql, "old")
            for (source, code) in [
                ("old", StoreError.Code.invalidOptions), ("nowhere", .notAStore), ("", .invalidOptions),
            ] {
                #expect(
                    await Self.code {
                        try await PersistentContainer.replaceStore(
                            at: sql.url, options: Self.inSchema("old"), withStoreFrom: sql.url,
                            sourceOptions: Self.inSchema(source))
                    } == code, "\(source)")
            }
            #expect(try Self.content(sql, "old") == before)
        }
    }

    @Test func rolesKeepTheirRightsAndTheStoreItsOwner() async throws {
        try await Self.withTwo { sql in
            try await sql.withRole { owner in
                try await sql.withRole { clerk in
                    try sql.rows("ALTER SCHEMA old OWNER TO \(owner)")
                    for name in try StoreDestructionTests.contents(sql, "old") {
                        let words = name.split(separator: " ")
                        let kind = ["r": "TABLE", "S": "SEQUENCE", "f": "FUNCTION"][words[0]] ?? ""
                        try sql.rows("ALTER \(kind) old.\(words[1]) OWNER TO \(owner)")
                    }
                    try sql.rows("GRANT USAGE ON SCHEMA old TO \(clerk)")
                    try sql.rows("GRANT SELECT, INSERT ON old.note TO \(clerk) WITH GRANT OPTION")
                    try sql.rows("GRANT UPDATE (name) ON old.folder TO \(clerk)")
                    try sql.rows("GRANT USAGE ON old._howdah_id TO PUBLIC")
                    let rights = """
                        SELECT relname, relacl::text, relowner::regrole::text, (SELECT string_agg(attname || attacl::text, ' ')
                            FROM pg_attribute WHERE attrelid = c.oid AND attacl IS NOT NULL)
                        FROM pg_class c WHERE relnamespace = 'old'::regnamespace AND relkind IN ('r', 'S') ORDER BY 1
                        """
                    let before = try sql.rows(rights)
                    try await Self.replace(sql)
                    #expect(try sql.rows(rights) == before)
                    // As a role that may read the source, but not change the destination.
                    try sql.rows("GRANT USAGE ON SCHEMA new TO \(clerk)")
                    #expect(
                        await Self.code {
                            try await PersistentContainer.replaceStore(
                                at: sql.url(as: clerk), options: Self.inSchema("old"), withStoreFrom: sql.url,
                                sourceOptions: Self.inSchema("new"))
                        } == .missingGrant)
                    #expect(
                        await Self.code {
                            try await PersistentContainer.replaceStore(
                                at: sql.url, options: Self.inSchema("old"), withStoreFrom: sql.url(as: clerk),
                                sourceOptions: Self.inSchema("new"))
                        } != nil)
                    #expect(try sql.rows(rights) == before)
                }
            }
        }
    }

    /// A copy without the rows that row security hides would pass for the whole.
    @Test func rowsThatTheRoleMayNotSeeAreNotLeftOut() async throws {
        try await Self.withTwo { sql in
            try await sql.withRole { clerk in
                try sql.rows("GRANT USAGE ON SCHEMA new TO \(clerk)")
                try sql.rows("GRANT SELECT ON ALL TABLES IN SCHEMA new TO \(clerk)")
                try sql.rows("GRANT SELECT ON ALL SEQUENCES IN SCHEMA new TO \(clerk)")
                func replace() async throws {
                    try await PersistentContainer.replaceStore(
                        at: sql.url, options: Self.inSchema("old"), withStoreFrom: sql.url(as: clerk),
                        sourceOptions: Self.inSchema("new"))
                }
                try sql.rows("ALTER TABLE new.note ENABLE ROW LEVEL SECURITY")
                try sql.rows("CREATE POLICY p ON new.note USING (_id % 2 = 0)")
                let before = try Self.content(sql, "old")
                #expect(await Self.code(replace) == .missingGrant)
                #expect(try Self.content(sql, "old") == before)
                try sql.rows("ALTER TABLE new.note DISABLE ROW LEVEL SECURITY")
                try await replace()
                #expect(try Self.content(sql, "old") == Self.content(sql, "new"))
            }
        }
    }

    @Test(.needsSession) func anotherProcessThatHasTheStoreOpenIsNamedOrEnded() async throws {
        try await Self.withTwo { sql in
            let program = try await TenantProgram(sql.url, schema: "old")
            #expect(await program.ask("save") == "done")
            let before = try Self.content(sql, "old")
            #expect(await Self.code { try await Self.replace(sql, waiting: .milliseconds(100)) } == .inUse)
            #expect(try Self.content(sql, "old") == before)
            // A transaction that is open is undone.
            #expect(await program.ask("hold") == "holding")
            try await Self.replace(sql, ending: true)
            let expected = try Self.content(sql, "new")
            #expect(try Self.content(sql, "old") == expected)
            program.say("")
            let answer = await program.answer()
            #expect(answer == "StoreError.destroyed" || answer == "SaveError.database", "\(answer)")
            for line in ["save", "fetch", "update", "metadata a b"] {
                #expect(await program.ask(line) == "StoreError.destroyed", "\(line)")
            }
            #expect(try Self.content(sql, "old") == expected)
            #expect(await program.end() == 0)
        }
    }

    /// One process writes to the source without a pause: the copy is one moment of it.
    @Test(.needsSession) func aSourceThatIsWrittenToIsCopiedAtOneMoment() async throws {
        try await Self.withTwo(folders: 500) { sql in
            let program = try await TenantProgram(sql.url, schema: "new")
            #expect(await program.ask("write") == "writing")
            for _ in 0..<TestTier.choose(quick: 2, all: 5, nightly: 5) {
                try await Self.replace(sql)
                let counts = try sql.rows(
                    "SELECT (2 * (SELECT count(*) FROM old.folder))::text, (SELECT count(*) FROM old.note)::text"
                )[0]
                #expect(counts[0] == counts[1])
                #expect(
                    try sql.value(
                        "SELECT ((SELECT last_value FROM old._howdah_id) >= (SELECT max(_id) FROM old.note))::text"
                    ) == "true")
            }
        }
    }

    /// The writer's sessions end, and it writes nothing into the copy.
    @Test(.needsSession) func aWriterWritesNothingIntoTheCopy() async throws {
        try await Self.withTwo { sql in
            let program = try await TenantProgram(sql.url, schema: "old")
            #expect(await program.ask("write") == "writing")
            try await Task.sleep(for: .milliseconds(100))
            try await Self.replace(sql, ending: true, waiting: .seconds(30))
            #expect(await program.answer().contains("Error."))
            #expect(await program.answer() == "StoreError.destroyed")
            #expect(try Self.content(sql, "old") == Self.content(sql, "new"))
        }
    }

    private static let commands = [
        "DROP TABLE", "DROP SEQUENCE", "CREATE TABLE", "CREATE INDEX", "ALTER TABLE", "GRANT",
    ]

    /// The server's side of the destination dies after each statement of a kind; the last dies at COMMIT. A quick run has
    /// the first statement, one in the middle and the last.
    @Test(arguments: TestTier.current > .quick ? commands : [commands[0], commands[2], commands[5]])
    func aKilledBackendLeavesTheOldStore(command: String) async throws {
        try await Self.withTwo { sql in
            try sql.rows("GRANT SELECT ON old.note TO PUBLIC")
            try sql.rows(
                "CREATE FUNCTION die() RETURNS event_trigger LANGUAGE plpgsql AS "
                    + "'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); END'")
            let before = try Self.content(sql, "old")
            let identity = try sql.value("SELECT store_uuid::text FROM old._howdah_store")
            try sql.rows(
                "CREATE EVENT TRIGGER die ON ddl_command_end WHEN TAG IN ('\(command)') EXECUTE FUNCTION die()"
            )
            #expect(await Self.code { try await Self.replace(sql) } == .database)
            try sql.rows("DROP EVENT TRIGGER die")
            #expect(try Self.content(sql, "old") == before)
            #expect(try sql.value("SELECT store_uuid::text FROM old._howdah_store") == identity)
            try await Self.replace(sql)
            #expect(try Self.content(sql, "old") == Self.content(sql, "new"))
        }
    }

    /// A session of either side dies in the middle of the rows.
    @Test(.needsSession, arguments: ["COPY \"old\".", "COPY (SELECT"])
    func aSessionThatDiesWhileRowsAreCopiedLeavesTheOldStore(statement: String) async throws {
        try await Self.withTwo(folders: 20_000) { sql in
            var isEnded = false
            // The rows may be copied before anybody looks.
            for _ in 0..<50 where !isEnded {
                let before = try Self.content(sql, "old")
                let isOver = Shared(false)
                async let search = onThread {
                    let session = try Connection(ConnectionConfiguration(TestPooler.direct(sql.url)))
                    defer { session.close() }
                    while !isOver.value {
                        let ended = try session.query(
                            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
                                + "AND state = 'active' AND query LIKE '\(statement)%' AND query LIKE '%note%' "
                                + "AND pid <> pg_backend_pid()")
                        if ended.rowCount > 0 { return true }
                    }
                    return false
                }
                let outcome = await Self.code { try await Self.replace(sql) }
                isOver.withLock { $0 = true }
                isEnded = try await search
                if isEnded {
                    #expect(outcome == .database)
                    #expect(try Self.content(sql, "old") == before)
                } else {
                    #expect(outcome == nil)
                }
            }
            #expect(isEnded)
        }
    }
}
