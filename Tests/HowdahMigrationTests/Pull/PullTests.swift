import Foundation
import HowdahModel
import HowdahTesting
import PQClient
import Testing

@testable import HowdahMigration

struct PullTests {
    private static func withDatabase<T>(_ body: (Connection) throws -> T) throws -> T {
        let database = try EphemeralPostgres.shared().createDatabase()
        let connection = try Connection(ConnectionConfiguration(database.url))
        defer { connection.close() }
        return try body(connection)
    }

    /// The model and the notes of some tables.
    private func pulled(_ ddl: String) throws -> PulledModel {
        try Self.withDatabase { connection in
            try connection.executeScript("CREATE SCHEMA s; SET search_path = s; " + ddl)
            return try PulledModel(DatabaseSchema(named: "s", on: connection))
        }
    }

    @Test func tablesColumnsAndKeysAreRead() throws {
        let found = try pulled(
            """
            CREATE TYPE mood AS ENUM ('sad', 'happy');
            CREATE DOMAIN mail AS varchar(200) CHECK (VALUE LIKE '%@%');
            CREATE TABLE departments (
                id serial PRIMARY KEY, name varchar(80) NOT NULL UNIQUE, budget numeric(12,2) DEFAULT 0,
                created_at timestamptz NOT NULL DEFAULT now(), "Odd Column" int DEFAULT (-1));
            CREATE TABLE people (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, first_name text NOT NULL DEFAULT 'O''Brien',
                mood mood DEFAULT 'happy', mail mail, settings jsonb, address inet, active bool NOT NULL DEFAULT true,
                department_id int REFERENCES departments ON DELETE SET NULL);
            CREATE INDEX by_name ON people (first_name DESC, mood); CREATE INDEX ON people (department_id);
            """)
        #expect(
            found.model["Departments"]?.properties == [
                .attribute("name", .string, optional: false, maximumLength: 80),
                .attribute("budget", .decimal, default: 0),
                .attribute("createdAt", .date, optional: false),
                .attribute("oddColumn", .integer32, default: -1, userInfo: [MappingKey.column: "Odd Column"]),
                .relationship("people", to: "People", inverse: "department", toMany: true),
            ])
        #expect(found.model["Departments"]?.uniquenessConstraints == [["name"]])
        #expect(
            found.model["People"]?.properties == [
                .attribute("firstName", .string, optional: false, default: "O'Brien"),
                .attribute("mood", .string, default: "happy", allowedValues: ["sad", "happy"]),
                .attribute("mail", .string, maximumLength: 200),
                .attribute("settings", .transformable, userInfo: [MappingKey.jsonb: "true"]),
                .attribute("active", .boolean, optional: false, default: true),
                .relationship(
                    "department", to: "Departments", inverse: "people",
                    userInfo: [MappingKey.column: "department_id"]),
            ])
        #expect(
            found.model["People"]?.fetchIndexes == [
                FetchIndexDescription(
                    "by_name",
                    elements: [FetchIndexElement("firstName", ascending: false), FetchIndexElement("mood")])
            ])
        for place in [
            "departments.id", "departments.budget", "departments.created_at", "people.address", "people.mail",
        ] {
            #expect(found.notes.contains { $0.hasPrefix(place + ":") }, "\(place)")
        }
    }

    @Test func everyKindOfReferenceIsRead() throws {
        let found = try pulled(
            """
            CREATE TABLE people (
                id int PRIMARY KEY, boss_id int REFERENCES people, mentor_id int REFERENCES people ON DELETE CASCADE);
            CREATE TABLE passports (code text PRIMARY KEY, holder int NOT NULL UNIQUE REFERENCES people ON DELETE CASCADE);
            CREATE TABLE tags (id smallint PRIMARY KEY);
            CREATE TABLE people_tags (
                person_id int REFERENCES people ON DELETE CASCADE, tag_id smallint REFERENCES tags,
                PRIMARY KEY (person_id, tag_id));
            """)
        let people = try #require(found.model["People"])
        let rules = Dictionary(
            people.properties.compactMap(\.relationship).map { ($0.name, $0) },
            uniquingKeysWith: { first, _ in first })
        #expect(rules["boss"]?.inverse == "peopleByBoss" && rules["peopleByBoss"]?.deleteRule == .deny)
        #expect(
            rules["mentor"]?.inverse == "peopleByMentor" && rules["peopleByMentor"]?.deleteRule == .cascade)
        #expect(rules["passports"]?.isToMany == false && rules["passports"]?.deleteRule == .cascade)
        let tags = try #require(rules["tags"])
        #expect(tags.isToMany && tags.deleteRule == .nullify && tags.inverse == "people")
        #expect(found.model.property(named: "people", of: "Tags")?.relationship?.deleteRule == .deny)
        // The tables that the model is laid out as are the ones it was read from.
        let schema = try StoreSchema(found.model)
        #expect(schema.tables.map(\.name) == ["passports", "people", "people_tags", "tags"])
        #expect(schema.table(named: "people_tags")?.columns.map(\.name) == ["person_id", "tag_id"])
        #expect(schema.table(named: "passports")?.column("holder")?.isNullable == false)
    }

    @Test func whatNoModelSaysIsNoted() throws {
        let found = try pulled(
            """
            CREATE TABLE a (x int, y int, z text GENERATED ALWAYS AS ('a') STORED, CHECK (x > y), PRIMARY KEY (x, y));
            CREATE TABLE b (id uuid PRIMARY KEY, x int, y int, FOREIGN KEY (x, y) REFERENCES a, t text[], w interval);
            CREATE TABLE c (n int); CREATE INDEX partial ON c (n) WHERE n > 0; CREATE INDEX expression ON c ((n + 1));
            CREATE VIEW v AS SELECT 1 AS one;
            """)
        #expect(found.model["A"]?.uniquenessConstraints == [["x", "y"]])
        #expect(found.model["B"]?.properties.map(\.name) == ["id", "x", "y"])
        for words in [
            "primary key of several columns", "generated", "a_check", "b_x_y_fkey", "b.t", "b.w",
            "no primary key",
            "partial", "expression", "Views",
        ] { #expect(found.notes.contains { $0.contains(words) }, "\(words)") }
    }

    @Test func aStoreGivesTheModelItWasMadeWith() throws {
        let model = try ManagedObjectModel.company()
        let schema = try StoreSchema(model, schemaName: "store")
        let pulled = try Self.withDatabase { connection in
            try connection.executeScript(SchemaCreation(schema).statements.joined(separator: ";\n"))
            var record = Parameters()
            record.append(.uuid) { $0.uuid(UUID()) }
            record.append(.int4) { $0.int32(StoreMetadata.formatVersion) }
            try record.append(model.canonicalJSON)
            try record.append(model.versionChecksum)
            _ = try connection.query(StoreMetadata.insertion(for: schema), record)
            return try DatabaseModel(connection, schema: "store")
        }
        #expect(pulled.model == model && pulled.isRecorded && pulled.notes.isEmpty)
    }

    @Test func anEmptySchemaIsSaidToBeEmpty() throws {
        let pulled = try Self.withDatabase { try DatabaseModel($0, schema: "nowhere") }
        #expect(pulled.model.entities.isEmpty && pulled.notes.count == 1)
    }
}
