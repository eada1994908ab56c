import HowdahTesting
import PQClient
import Testing

/// A store of the register, and roles of its server.
struct StoreRoles {
    let database: TemporaryDatabase
    let admin: Connection
    let suffix: String

    var all: [String] { ["owner", "member", "guard", "operator", "clerk", "reader"].map(name) }

    func name(_ role: String) -> String { role == "postgres" ? role : "\(role)_\(suffix)" }

    func url(_ role: String) -> String {
        database.url.replacing("user=postgres", with: "user=\(name(role))")
    }

    func connect(_ role: String) throws -> Connection {
        try Connection(ConnectionConfiguration(url(role)))
    }

    /// Things of the schema that belong to others than the owner.
    func strangers() throws -> [String] {
        try admin.query(
            """
            SELECT c.relname::text FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace
                AND c.relowner <> '\(name("owner"))'::regrole
            UNION ALL SELECT p.proname::text FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
                AND p.proowner <> '\(name("owner"))'::regrole
            """, cached: false
        ).map { $0[0].string() }
    }

    static func with(_ body: (StoreRoles) async throws -> Void) async throws {
        try await Register.with { database, admin in
            let roles = StoreRoles(
                database: database, admin: admin, suffix: "\(UInt32.random(in: 0 ... .max))")
            for role in roles.all { try admin.executeScript("CREATE ROLE \(role) LOGIN") }
            let (owner, clerk, reader) = (roles.name("owner"), roles.name("clerk"), roles.name("reader"))
            try admin.executeScript(
                """
                ALTER ROLE \(roles.name("guard")) BYPASSRLS; GRANT \(owner) TO \(roles.name("member")), \(roles.name("guard"));
                REVOKE ALL ON SCHEMA public FROM PUBLIC; GRANT ALL ON SCHEMA public TO \(owner);
                GRANT USAGE ON SCHEMA public TO \(clerk), \(reader);
                GRANT ALL ON SCHEMA public TO \(roles.name("operator"));
                DO $$ DECLARE c record; BEGIN
                    FOR c IN SELECT oid::regclass AS name, relkind FROM pg_class
                        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'S')
                        AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = pg_class.oid AND d.deptype IN ('a', 'i')
                            AND d.classid = 'pg_class'::regclass)
                    LOOP EXECUTE format('ALTER %s %s OWNER TO \(owner)',
                        CASE c.relkind WHEN 'r' THEN 'TABLE' ELSE 'SEQUENCE' END, c.name); END LOOP;
                    FOR c IN SELECT oid::regprocedure AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace
                    LOOP EXECUTE format('ALTER FUNCTION %s OWNER TO \(owner)', c.name); END LOOP;
                END $$;
                GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(reader);
                GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(clerk);
                GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO \(clerk);
                GRANT ALL ON ALL TABLES IN SCHEMA public TO \(roles.name("operator"));
                GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO \(roles.name("operator"))
                """)
            #expect(try roles.strangers() == [])
            do {
                try await body(roles)
                try drop(roles)
            } catch {
                try? drop(roles)
                throw error
            }
        }
    }

    private static func drop(_ roles: StoreRoles) throws {
        try roles.admin.executeScript(
            "REASSIGN OWNED BY \(roles.name("owner")) TO postgres; DROP OWNED BY \(roles.all.joined(separator: ", ")); "
                + "DROP ROLE \(roles.all.joined(separator: ", "))")
    }
}
