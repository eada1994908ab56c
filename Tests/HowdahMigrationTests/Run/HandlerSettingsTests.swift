import HowdahMigration
import HowdahModel
import HowdahTesting
import PQClient
import Synchronization
import TestSupport
import Testing

/// What a handler sets is its own: the steps and handlers after it, and later transactions, have what was before.
@Suite struct HandlerSettingsTests {
    private static func model(_ properties: PropertyDescription...) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [entity("Person", [.attribute("name", .string)] + properties)])
    }

    private static let names = [
        "statement_timeout", "lock_timeout", "search_path", "role", "session_authorization", "DateStyle",
        "standard_conforming_strings", "session_replication_role", "enable_seqscan", "work_mem",
        "default_tablespace", "check_function_bodies",
    ]

    private static func values(_ connection: Connection) throws -> [String] {
        try names.map { name in
            try connection.query("SELECT current_setting('\(name)')", cached: false).map { $0[0].string() }
                .first ?? "nil"
        }
    }

    @Test(arguments: ["SET", "SET LOCAL"], ["70s", "0"])
    func whatAHandlerSetsEndsWithIt(_ word: String, timeout: String) async throws {
        let (old, new) = (try Self.model(), try Self.model(.attribute("age", .integer16)))
        try await withTemporaryDatabase(for: old) { database in
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            let role = "howdah_nobody_\(UInt32.random(in: 0...UInt32.max))"
            try connection.executeScript(
                "CREATE ROLE \(role); SET statement_timeout = '\(timeout)'; SET work_mem = '5MB'")
            defer { try? connection.executeScript("DROP ROLE \(role)") }
            let before = try Self.values(connection)
            let seen = Mutex<[[String]]>([])
            let path = try MigrationPath([
                .init(
                    .custom,
                    [("V1", old), ("V2", new)].map {
                        MigrationPath.Version(name: $0, checksum: $1.versionChecksum, model: $1)
                    }, label: nil,
                    handlers: StageHandlers(
                        willMigrate: { connection, _ in
                            let values = try Self.values(connection)
                            seen.withLock { $0.append(values) }
                            try connection.executeScript(
                                """
                                \(word) lock_timeout = '7s'; \(word) search_path = nowhere;
                                \(word) DateStyle = 'German'; \(word) standard_conforming_strings = off;
                                \(word) session_replication_role = replica; \(word) enable_seqscan = off;
                                \(word) check_function_bodies = off; \(word) work_mem = '3MB';
                                \(word) statement_timeout = '6s'; \(word) SESSION AUTHORIZATION \(role);
                                \(word) ROLE \(role)
                                """)
                        },
                        didMigrate: { connection, _ in
                            let values = try Self.values(connection)
                            seen.withLock { $0.append(values) }
                        }))
            ])
            try StoreMigration(connection, path, to: new).apply()
            let (first, second) = seen.withLock { ($0.first, $0.last) }
            #expect(seen.withLock(\.count) == 2)
            #expect(first == second)
            #expect(try Self.values(connection) == before)
        }
    }
}
