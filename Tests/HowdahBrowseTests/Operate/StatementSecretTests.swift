import HowdahRuntime
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahBrowse

/// Statements of other sessions whose texts have passwords and keys.
@Suite struct StatementSecretTests {
    /// Returns the text that the pages show of each statement.
    private func shown(_ statements: [String], _ url: String) throws -> [String] {
        let connection = try Connection(ConnectionConfiguration(url))
        defer { connection.close() }
        return try statements.map { statement in
            var parameters = Parameters()
            try parameters.append(statement)
            return try connection.query(
                "SELECT \(StatementSecret.shown("q.text")) FROM (SELECT $1::pg_catalog.text AS text) q",
                parameters
            ).scalar { $0.string() } ?? ""
        }
    }

    private static let hidden = [
        "ALTER ROLE app PASSWORD 'K5x'", "ALTER USER app WITH LOGIN", "create  role app",
        "ALTER GROUP a ADD USER b",
        "ALTER/* x */ROLE app VALID UNTIL 'K5x'", "ALTER -- it\n ROLE app VALID UNTIL 'K5x'",
        "CREATE USER MAPPING FOR app SERVER s OPTIONS (user 'app', key 'K5x')",
        "ALTER SERVER s OPTIONS (SET key 'K5x')",
        "CREATE SUBSCRIPTION s CONNECTION 'host=db K5x' PUBLICATION p",
        "ALTER SUBSCRIPTION s CONNECTION 'K5x'", "ALTER SYSTEM SET primary_conninfo = 'K5x'",
        "SELECT * FROM dblink('host=db K5x', 'SELECT 1') AS t(a int)",
        "SELECT import('postgres://app:K5x@db/shop')", "SELECT fetch('https://K5x@api.example/v1')",
        "SELECT id FROM account WHERE hash = crypt('K5x', hash)", "SELECT public.\"crypt\" ('K5x', 'salt')",
        "SELECT pgp_sym_decrypt(card, 'K5x') FROM account", "SELECT PGP_SYM_ENCRYPT('card', 'K5x')",
        "SELECT hmac('x', 'K5x', 'sha256')", "SET app.jwt = 'K5x'",
        "BEGIN; SET LOCAL \"app\".claims TO 'K5x'",
        "SELECT set_config('app.jwt', 'K5x', true)",
        "SELECT pg_catalog.set_config(E'request.jwt', 'K5x', false)",
        "COPY t FROM PROGRAM 'curl -u app:K5x https://api.example'", "UPDATE account SET api_key = 'K5x'",
        "INSERT INTO session (id, token) VALUES (1, 'K5x')", "SELECT x WHERE header = 'Authorization: K5x'",
        "UPDATE account SET pw = 'K5x'", #"INSERT INTO log VALUES ('{"pwd":"K5x"}')"#,
        "SELECT connect('DSN=server;uid=sa;pwd=K5x')",
        "INSERT INTO file VALUES ('-----BEGIN RSA PRIVATE KEY-----\nK5x')",
        "SELECT check_login('eyJhbGciOiJIUzI1NiJ9.K5x.sig')", "SELECT call('AKIAIOSFODNN7K5xAMPLE')",
        "SELECT pay('sk_live_K5x')", "SELECT pull('ghp_K5xK5x')", "SELECT say('xoxb-1-K5x')",
        "UPDATE account SET hash = '$2a$06$K5x'",
        "UPDATE account SET hash = 'SCRAM-SHA-256$4096:K5x'",
        "UPDATE file SET link = 'https://a.blob.example/b?sv=1&sig=K5x'",
        "UPDATE account SET seed = 'otpauth://totp/a?issuer=K5x'",
        "SELECT 'K5x'; " + String(repeating: " ", count: 9_000) + "ALTER ROLE app VALID UNTIL 'K5x'",
    ]

    private static let plain = [
        "SELECT t0.token FROM session t0 WHERE t0._id = $1",
        "SELECT name FROM user_role WHERE role = 'reader'",
        "SELECT * FROM page WHERE link = 'https://example.com/a@b'", "SET statement_timeout = '2s'",
        "SELECT set_config('statement_timeout', '2s', true)", "UPDATE program SET name = 'x'",
        "INSERT INTO alterations (user_id) VALUES (1)", "ALTER TABLE role ADD user_id bigint",
        "UPDATE employee SET name = 'x' WHERE employee.id = 1",
        "SELECT description FROM connection WHERE id = 'a'",
        "SELECT t0.pwd FROM account t0 WHERE t0._id = $1", "UPDATE page SET design = 'a', sign = 'b'",
        "CREATE TABLE a (id bigint PRIMARY KEY, b text)", "SELECT spwa FROM a WHERE b = 'x'",
        "INSERT INTO cost VALUES ('$2', '$25')", "SELECT 'sk_a', 'gha_b', 'eyJ'",
    ]

    @Test("Statements that can have a password or key are hidden, others are not")
    func secretsAreHidden() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            let url = database.url
            let (hidden, plain) = try await onThread {
                (try shown(Self.hidden, url), try shown(Self.plain, url))
            }
            for (statement, text) in zip(Self.hidden, hidden) {
                #expect(text.hasPrefix("hidden: a statement ") && !text.contains("K5x"), "\(statement)")
            }
            for (statement, text) in zip(Self.plain, plain) { #expect(text == statement) }
        }
    }

    @Test("A hidden statement is on no part of the page")
    func pagesHaveNoSecret() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            let container = try await PersistentContainer.open(database.url, model: Shop.model())
            let other = try Connection(ConnectionConfiguration(database.url))
            _ = try other.query("SELECT set_config('app.jwt', 'K5x', false)", cached: false)
            let text = try await BrowseSite(container) { _ in .read }.text("/activity")
            #expect(text.contains("hidden: a statement that sets a parameter") && !text.contains("K5x"))
            other.close()
            await container.close()
        }
    }
}
