import Foundation
import HowdahModel
import HowdahSchema
import HowdahTesting
import PQClient
import TestSupport
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
            "departments.budget", "departments.created_at", "people.address", "people.mail",
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
        #expect(found.model["B"]?.properties.map(\.name) == ["id", "x", "y", "t"])
        for words in [
            "primary key has several columns", "generated", "a_check", "b_x_y_fkey", "b.t", "b.w",
            "no primary key",
            "partial", "expression", "Views",
        ] { #expect(found.notes.contains { $0.contains(words) }, "\(words)") }
    }

    @Test func detailsOfIndexesAndWhatActsOnRowsAreNoted() throws {
        let found = try pulled(
            """
            CREATE TABLE plain (id int PRIMARY KEY, a int UNIQUE, b text);
            CREATE INDEX down ON plain (a DESC, b);
            CREATE TABLE odd (id int PRIMARY KEY, a int, b text, c int, d int UNIQUE DEFERRABLE);
            CREATE UNIQUE INDEX nulls ON odd (a) NULLS NOT DISTINCT;
            ALTER TABLE odd ADD CONSTRAINT also UNIQUE NULLS NOT DISTINCT (c);
            CREATE INDEX prefixes ON odd (b text_pattern_ops);
            CREATE INDEX wide ON odd (b) INCLUDE (c);
            ALTER TABLE odd ENABLE ROW LEVEL SECURITY;
            CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
            CREATE TRIGGER stamp BEFORE UPDATE ON odd FOR EACH ROW EXECUTE FUNCTION f();
            CREATE RULE quiet AS ON DELETE TO odd DO INSTEAD NOTHING;
            """)
        let notes = found.notes.filter { !$0.contains("_version") }
        #expect(!notes.contains { $0.hasPrefix("plain") })
        for part in [
            "nulls allows NULL only once", "also allows NULL only once", "odd_d_key is deferrable",
            "The index prefixes is simpler in the model than in the database: b has the operator class text_pattern_ops",
            "The index wide is simpler in the model than in the database: its additional columns",
            "Row security", "triggers: stamp", "rules: quiet",
        ] {
            #expect(notes.count { $0.hasPrefix("odd: ") && $0.contains(part) } == 1, "\(part): \(notes)")
        }
        #expect(found.model["Odd"]?.uniquenessConstraints.map(Set.init).contains(["a"]) == true)
    }

    @Test func aStoreGivesTheModelItWasMadeWith() throws {
        let model = try ManagedObjectModel.company()
        let schema = try StoreSchema(model, schemaName: "store")
        let pulled = try Self.withDatabase { connection in
            try connection.executeScript(SchemaCreation(schema).statements.joined(separator: ";\n"))
            var record = Parameters()
            record.append(.uuid) { $0.uuid(UUID()) }
            record.append(.int4) { $0.int32(StoreMetadata.formatWithoutHistory) }
            try record.append(model.canonicalJSON)
            try record.append(model.versionChecksum)
            _ = try connection.query(StoreMetadata.insertion(for: schema), record)
            return try DatabaseModel(connection, schema: "store")
        }
        #expect(pulled.model == model && pulled.isRecorded && pulled.notes.isEmpty)
    }

    @Test func anEmptySchemaIsSaidToBeEmpty() throws {
        let pulled = try Self.withDatabase { connection in
            try connection.executeScript("CREATE SCHEMA nothing")
            return try DatabaseModel(connection, schema: "nothing")
        }
        #expect(pulled.model.entities.isEmpty && pulled.notes.count == 1)
        #expect(throws: PullError.self) { try Self.withDatabase { try DatabaseModel($0, schema: "nowhere") } }
    }

    /// What the model says of a table's key and version.
    private func own(_ ddl: String) throws -> [String: String] {
        try #require(try pulled("CREATE TABLE thing (\(ddl))").model.entities.first).userInfo
    }

    @Test func keyAndVersionAreNamed() throws {
        let (key, version) = (MappingKey.key, MappingKey.version)
        #expect(try own("id serial PRIMARY KEY") == [key: "id", version: "none"])
        #expect(try own("_id bigint PRIMARY KEY, _version bigint NOT NULL") == [:])
        #expect(
            try own("nr int PRIMARY KEY, lock_version int NOT NULL") == [key: "nr", version: "lock_version"])
        // One that may be NULL counts nothing, and another program's "version" may be anything.
        #expect(try own("id int PRIMARY KEY, _version bigint") == [key: "id", version: "none"])
        #expect(try own("id int PRIMARY KEY, version bigint NOT NULL") == [key: "id", version: "none"])
        #expect(try own("id uuid PRIMARY KEY") == [version: "none"])
    }

    @Test func keysPartitionsAndHeirsAreNoted() throws {
        let found = try pulled(
            """
            CREATE TABLE a (id text PRIMARY KEY); CREATE TABLE b (id uuid PRIMARY KEY);
            CREATE TABLE parts (id int PRIMARY KEY) PARTITION BY RANGE (id);
            CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (9);
            CREATE TABLE parent (id int PRIMARY KEY); CREATE TABLE heir (PRIMARY KEY (id)) INHERITS (parent);
            CREATE TABLE calm (id int PRIMARY KEY, _version bigint NOT NULL);
            """)
        for words in [
            "a.id: The primary key is text", "b.id: The primary key is uuid",
            "parts: The table is partitioned. Objects of its entity are the rows of all partitions",
            "heir: The table inherits from parent", "parent: Other tables inherit",
            "a: The table has no column \"_version\"",
        ] { #expect(found.notes.contains { $0.hasPrefix(words) }, "\(words)") }
        #expect(!found.notes.contains { $0.hasPrefix("calm") })
        #expect(found.model.entities.map(\.name).contains("Parts1") == false)
    }

    @Test func arraysOfScalarsAreAttributes() throws {
        let found = try pulled(
            """
            CREATE TABLE thing (
                id int PRIMARY KEY, tags text[] NOT NULL, counts bigint[], prices numeric[], flags bool[], ids uuid[],
                names varchar(9)[], moods jsonb[]);
            """)
        let properties = found.model["Thing"]?.properties ?? []
        #expect(
            properties == [
                .attribute("tags", .array(of: .string), optional: false),
                .attribute("counts", .array(of: .integer64)), .attribute("prices", .array(of: .decimal)),
                .attribute("flags", .array(of: .boolean)), .attribute("ids", .array(of: .uuid)),
            ])
        #expect(
            found.notes.contains { $0.hasPrefix("thing.names: ") }
                && found.notes.contains { $0.hasPrefix("thing.moods: ") })
    }

    @Test func whatWasPulledFitsItsTables() throws {
        let ddl = """
            CREATE TYPE mood AS ENUM ('sad', 'happy');
            CREATE TABLE places (id serial PRIMARY KEY, at timestamp, day date, mood mood DEFAULT 'sad', raw json, code char(2));
            CREATE TABLE people (
                id smallint PRIMARY KEY, boss_id smallint REFERENCES people, place_id int NOT NULL REFERENCES places ON DELETE CASCADE,
                half int GENERATED ALWAYS AS (1) STORED);
            CREATE TABLE passports (id bigint PRIMARY KEY, holder_id smallint UNIQUE REFERENCES people ON DELETE SET NULL);
            CREATE TABLE visits (person int REFERENCES people, place int REFERENCES places ON DELETE CASCADE, PRIMARY KEY (person, place));
            CREATE TABLE counted (id int PRIMARY KEY, _version int NOT NULL, half int GENERATED ALWAYS AS (1) STORED,
                next_id int REFERENCES counted DEFERRABLE);
            """
        let found = try Self.withDatabase { connection in
            try connection.executeScript(ddl)
            let database = try DatabaseSchema(named: "public", on: connection)
            return ExistingTables(try StoreSchema(PulledModel(database).model), in: database)
        }
        #expect(found.differences == [])
        #expect(found.schema.table(named: "passports")?.column("holder_id") != nil)
    }
}
