import Howdah
import HowdahTesting
import TestSupport
import Testing

/// What others attached to tables survives a mapped stage, or the stage is refused before anything is done.
@Suite(.needsSession) struct MappedAttachmentTests {
    /// What the catalogue says of what is attached to the table of albums.
    private static let attachments = """
        SELECT 'comment ' || obj_description('album'::regclass, 'pg_class')
        UNION ALL SELECT 'column comment ' || col_description(attrelid, attnum) FROM pg_attribute
            WHERE attrelid = 'album'::regclass AND attname = 'name'
        UNION ALL SELECT 'statistics ' || attstattarget FROM pg_attribute
            WHERE attrelid = 'album'::regclass AND attname = 'name'
        UNION ALL SELECT concat(c.relname, ' ', reloptions, relreplident, relrowsecurity, relforcerowsecurity)
            FROM pg_class c WHERE oid = 'album'::regclass
        UNION ALL SELECT 'toast ' || t.reloptions::text FROM pg_class c JOIN pg_class t ON t.oid = c.reltoastrelid
            WHERE c.oid = 'album'::regclass
        UNION ALL SELECT p::text FROM (SELECT policyname, permissive, roles, cmd, qual, with_check FROM pg_policies
            WHERE tablename = 'album') p
        UNION ALL SELECT 'grant ' || grantee || privilege_type || is_grantable
            FROM information_schema.role_table_grants WHERE table_name = 'album' AND grantee <> 'postgres'
        UNION ALL SELECT 'column grant ' || grantee || privilege_type || column_name
            FROM information_schema.column_privileges
            WHERE table_name = 'album' AND column_name = 'name' AND grantee <> 'postgres'
        ORDER BY 1
        """

    @Test func whatWasAttachedIsAttachedAgain() async throws {
        try await MusicStore.with { store in
            let role = "listener_\(UInt32.random(in: 0 ... .max))"
            try store.sql.rows("CREATE ROLE \(role)")
            for statement in [
                "COMMENT ON TABLE album IS 'what''s sold'", "COMMENT ON COLUMN album.name IS 'on the sleeve'",
                "ALTER TABLE album ALTER COLUMN name SET STATISTICS 500",
                "ALTER TABLE album SET (fillfactor = 70, toast.autovacuum_enabled = false)",
                "ALTER TABLE album REPLICA IDENTITY FULL", "ALTER TABLE album ENABLE ROW LEVEL SECURITY",
                "ALTER TABLE album FORCE ROW LEVEL SECURITY",
                "CREATE POLICY own ON album FOR UPDATE TO \(role) USING (lower(name) = current_user) "
                    + "WITH CHECK (name <> '')",
                "CREATE POLICY all_of_it ON album AS RESTRICTIVE USING (true)",
                "GRANT SELECT, INSERT ON album TO \(role) WITH GRANT OPTION",
                "GRANT UPDATE (name) ON album TO \(role)",
            ] { try store.sql.rows(statement) }
            let before = try store.sql.rows(Self.attachments)
            #expect(before.count >= 11, "\(before)")
            try await store.open(Music.mapping(), ["ArtistPolicy": Music.ArtistPolicy.self]).close()
            #expect(try store.sql.rows(Self.attachments) == before)
            try store.sql.rows("DROP OWNED BY \(role)")
            try store.sql.rows("DROP ROLE \(role)")
        }
    }

    @Test(arguments: [
        ("CREATE PUBLICATION feed FOR TABLE track", "publication feed of track"),
        (
            "CREATE TRIGGER audit AFTER INSERT ON album FOR EACH ROW EXECUTE FUNCTION "
                + "suppress_redundant_updates_trigger()", "trigger audit of album"
        ),
        ("CREATE RULE quiet AS ON DELETE TO album DO INSTEAD NOTHING", "rule quiet of album"),
        (
            "CREATE STATISTICS both_of_them ON name, cover FROM album",
            "statistics object both_of_them of album"
        ),
        ("ALTER TABLE scratch ENABLE ROW LEVEL SECURITY", "row security of scratch"),
        (
            "ALTER TABLE album REPLICA IDENTITY USING INDEX album_pkey",
            "replica identity of album by an index"
        ),
        (
            "CREATE POLICY near ON track USING (album IN (SELECT a._id FROM album a))",
            "row policy near of track, which reads album"
        ),
        (
            "CREATE POLICY short ON track USING (seconds < 60)",
            "the row policy short does not fit the new table public.track"
        ),
    ])
    func whatCannotBeIsRefused(statement: String, name: String) async throws {
        try await MusicStore.with { store in
            try store.sql.rows(statement)
            let error = try await store.failure(Music.mapping(), ["ArtistPolicy": Music.ArtistPolicy.self])
            #expect("\(error)".contains(name), "\(error)")
            #expect("\(error)".contains("before the migration"), "\(error)")
        }
    }
}
