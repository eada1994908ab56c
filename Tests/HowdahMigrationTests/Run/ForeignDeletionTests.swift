import HowdahMigration
import HowdahModel
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Rows that move to another table are no deletions for other programs, and their deferred rules hold for them.
@Suite struct ForeignDeletionTests {
    private static let old = try? ManagedObjectModel(entities: [
        entity("Aa", [.attribute("s", .string)]),
        entity("Bb", [.attribute("o", .string)], super: "Aa"),
    ])

    private static func apart() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            entity("Aa", [.attribute("s", .string)]),
            entity("Bb", [.attribute("s", .string), .attribute("o", .string)]),
        ])
    }

    private static func required() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            entity("Aa", [.attribute("s", .string, optional: false, default: "dflt")]),
            entity("Bb", [.attribute("o", .string)], super: "Aa"),
        ])
    }

    private static let rows =
        "INSERT INTO aa (_id, _version, _entity, s) VALUES (1, 1, 'Aa', 'a'), (2, 1, 'Bb', NULL)"

    private func withStore(_ statements: [String], _ body: (Connection) throws -> Void) async throws {
        try await withTemporaryDatabase(for: #require(Self.old)) { database in
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            for statement in [Self.rows] + statements {
                _ = try connection.query(statement, cached: false)
            }
            try body(connection)
        }
    }

    private func count(_ condition: String, on connection: Connection) throws -> Int64 {
        try connection.query("SELECT count(*) FROM mine WHERE \(condition)", cached: false)
            .map { $0[0].int64 }.first ?? 0
    }

    @Test(
        "A stage that moves rows is refused if a foreign key of another program acts on deletions",
        arguments: ["CASCADE", "SET NULL", "SET DEFAULT"], [false, true])
    func actionIsRefused(_ action: String, defers: Bool) async throws {
        let statements = [
            "CREATE TABLE mine (a bigint REFERENCES aa ON DELETE \(action))", "INSERT INTO mine VALUES (2)",
        ]
        try await withStore(statements) { connection in
            var options = MigrationOptions()
            options.shouldDeferLightweightMigration = defers
            let target = try Self.apart()
            let runner = StoreMigration(connection, to: target, options: options)
            let attempts: [() throws -> Void] = [{ _ = try runner.apply() }, { _ = try runner.plan() }]
            for attempt in attempts {
                let error = #expect(throws: MigrationError.self) { try attempt() }
                #expect(error?.code == .unfitData)
                let message = error?.message ?? ""
                #expect(
                    message.contains(
                        "foreign key \"mine_a_fkey\" of table \"mine\" is not in the model"),
                    "\(message)")
                #expect(
                    message.contains(
                        "(ON DELETE \(action)). The store is unchanged. Drop the foreign key before the migration"
                    ),
                    "\(message)")
            }
            let report = try StoreMigration(
                connection, MigrationPath(from: #require(Self.old), to: target), to: target, options: options
            ).rehearse()
            #expect(report.ending?.contains("mine_a_fkey") == true, "\(report)")
            #expect(try count("a = 2", on: connection) == 1)
            _ = try connection.query("ALTER TABLE mine DROP CONSTRAINT mine_a_fkey", cached: false)
            _ = try runner.apply()
            #expect(try count("a = 2", on: connection) == 1)
        }
    }

    @Test("A foreign key of another program acts on rows of a removed entity")
    func removalActs() async throws {
        let statements = [
            "CREATE TABLE mine (a bigint REFERENCES aa ON DELETE CASCADE)",
            "INSERT INTO mine VALUES (1), (2)",
        ]
        try await withStore(statements) { connection in
            let target = try ManagedObjectModel(entities: [entity("Aa", [.attribute("s", .string)])])
            var options = MigrationOptions()
            options.confirmedDrops = ["Bb"]
            _ = try StoreMigration(connection, to: target, options: options).apply()
            #expect(try count("TRUE", on: connection) == 1)
        }
    }

    private static let trigger = [
        "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
        "CREATE CONSTRAINT TRIGGER mine AFTER UPDATE OR DELETE ON aa DEFERRABLE INITIALLY DEFERRED "
            + "FOR EACH ROW EXECUTE FUNCTION f()",
    ]

    @Test(
        "A deferred trigger of another program does not keep tables from changing", arguments: [false, true])
    func deferredTriggerRuns(moves: Bool) async throws {
        try await withStore(Self.trigger) { connection in
            let target = try moves ? Self.apart() : Self.required()
            let report = try StoreMigration(
                connection, MigrationPath(from: #require(Self.old), to: target), to: target
            ).rehearse()
            #expect(report.isClean, "\(report)")
            _ = try StoreMigration(connection, to: target).apply()
        }
    }

    @Test("A deferred foreign key of another program is checked before tables change", arguments: [1, 2])
    func deferredKeyIsChecked(key: Int) async throws {
        let statements = [
            "CREATE TABLE mine (a bigint REFERENCES aa DEFERRABLE INITIALLY DEFERRED)",
            "INSERT INTO mine VALUES (\(key))",
        ]
        try await withStore(statements) { connection in
            let target = try Self.apart()
            let report = try StoreMigration(
                connection, MigrationPath(from: #require(Self.old), to: target), to: target
            ).rehearse()
            #expect(report.isClean == (key == 1), "\(report)")
            let runner = StoreMigration(connection, to: target)
            // Only the rows of Bb move.
            if key == 1 {
                #expect(throws: Never.self) { try runner.apply() }
                return
            }
            let error = #expect(throws: MigrationError.self) { try runner.apply() }
            #expect(error?.code == .unfitData)
            #expect(
                error?.message.contains("foreign key \"mine_a_fkey\"") == true, "\(error?.message ?? "")")
        }
    }
}
