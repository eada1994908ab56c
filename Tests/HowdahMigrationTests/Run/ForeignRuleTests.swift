import HowdahMigration
import HowdahModel
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Rules of the tables that are not in the model refuse a step without a word about the rows.
@Suite struct ForeignRuleTests {
    struct Rule: CustomTestStringConvertible, Sendable {
        let statements: [String]
        /// What the message says of it.
        let words: String

        var testDescription: String { words }
    }

    static let rules = [
        Rule(
            statements: ["ALTER TABLE aa ADD CONSTRAINT mine CHECK (s IS DISTINCT FROM 'dflt')"],
            words: "The check constraint \"mine\" of table \"aa\" (entity Aa), which is not in the model,"),
        Rule(
            statements: [
                "CREATE UNIQUE INDEX mine ON aa ((coalesce(s, 'dflt'))) WHERE s = 'dflt'",
                "INSERT INTO aa (_id, _version, s) VALUES (3, 1, 'dflt')",
            ], words: "The unique constraint \"mine\" of table \"aa\" (entity Aa), which is not in the model,"
        ),
        Rule(
            statements: [
                "ALTER TABLE aa ADD extra text", "UPDATE aa SET extra = 'CANARY'",
                "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS "
                    + "'BEGIN NEW.extra := NULL; RETURN NEW; END'",
                "CREATE TRIGGER fail BEFORE UPDATE ON aa FOR EACH ROW EXECUTE FUNCTION fail()",
                "ALTER TABLE aa ALTER COLUMN extra SET NOT NULL",
            ],
            words:
                "The column \"extra\" of table \"aa\" (entity Aa), which is not in the model, requires a value"
        ),
        Rule(
            statements: [
                "CREATE TABLE names (s text PRIMARY KEY)",
                "ALTER TABLE aa ADD CONSTRAINT mine FOREIGN KEY (s) REFERENCES names",
            ], words: "The foreign key \"mine\" of table \"aa\" (entity Aa), which is not in the model,"),
    ]

    private static func model(required: Bool) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            entity(
                "Aa",
                [
                    .attribute("s", .string, optional: !required, default: required ? "dflt" : nil),
                    .attribute("o", .string),
                ])
        ])
    }

    @Test(arguments: rules) func theRuleIsNamed(_ rule: Rule) async throws {
        let old = try Self.model(required: false)
        try await withTemporaryDatabase(for: old) { database in
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            _ = try connection.query(
                "INSERT INTO aa (_id, _version, o) VALUES (1, 1, 'CANARY')", cached: false)
            for statement in rule.statements { _ = try connection.query(statement, cached: false) }
            let error = #expect(throws: MigrationError.self) {
                try StoreMigration(connection, to: Self.model(required: true)).apply()
            }
            #expect(error?.code == .unfitData)
            #expect(error?.message.contains(rule.words) == true, "\(error?.message ?? "")")
            #expect(error?.message.contains("The store is unchanged") == true)
            #expect(error?.databaseError?.sqlState?.hasPrefix("23") == true)
            let said = [error?.message, error?.description, error?.databaseError?.debugDescription]
            #expect(!said.contains { $0?.contains("CANARY") == true }, "\(said)")
        }
    }
}
