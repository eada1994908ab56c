import Foundation
import Howdah
import HowdahTesting
import Testing

/// Stages in YAML that say what becomes of what.
@Suite struct PlanMappingTests {
    private static func attribute(_ name: String, _ type: String = "String") -> String {
        MigrationFolder.attribute(name, type)
    }

    private static func relationship(
        _ name: String, _ entity: String, _ inverse: String, isToMany: Bool
    ) -> String {
        "<relationship name=\"\(name)\" optional=\"YES\" \(isToMany ? "toMany=\"YES\"" : "maxCount=\"1\"") "
            + "destinationEntity=\"\(entity)\" inverseName=\"\(inverse)\" inverseEntity=\"\(entity)\"/>"
    }

    private static func entity(_ name: String, _ elements: String...) -> String {
        "<entity name=\"\(name)\" syncable=\"YES\">\(elements.joined())</entity>"
    }

    /// A folder with four versions.
    private static func models() throws -> MigrationFolder {
        let store = try MigrationFolder([:])
        let shelf = { (members: String, entity: String) in
            Self.entity(
                "Shelf", attribute("label"), relationship(members, entity, "shelf", isToMany: true))
        }
        let second =
            entity(
                "Crate", attribute("label"), attribute("volume", "Integer 64"), attribute("origin"),
                relationship("shelf", "Shelf", "crates", isToMany: false),
                relationship("tags", "Tag", "crate", isToMany: true))
            + entity("Tag", attribute("name"), relationship("crate", "Crate", "tags", isToMany: false))
            + shelf("crates", "Crate") + entity("Room", attribute("name"))
        for (name, elements) in [
            (
                "v1",
                entity(
                    "Box", attribute("title"), attribute("size", "Integer 32"),
                    relationship("shelf", "Shelf", "boxes", isToMany: false)) + shelf("boxes", "Box")
                    + entity("Cellar", attribute("damp"))
            ), ("v2", second), ("v3", second + entity("Lamp", attribute("watts", "Integer 32"))),
            ("v4", second + entity("Lamp", attribute("watts", "Integer 32"), attribute("colour"))),
        ] {
            try store.folder.place(elements, at: "Library.xcdatamodeld/\(name).xcdatamodel")
        }
        return store
    }

    /// Likewise, with a store of the first that has boxes on shelves.
    private static func folder() throws -> MigrationFolder {
        let store = try models()
        try store.make("v1")
        try store.sql(
            """
            INSERT INTO shelf (_id, _version, label) VALUES (1, 1, 'high'), (2, 4, 'low');
            INSERT INTO box (_id, _version, title, size, shelf) VALUES
                (3, 1, 'a', 2, 1), (4, 2, 'b', 4, 2), (5, 1, 'c', 0, 2), (6, 1, NULL, 8, NULL);
            INSERT INTO cellar (_id, _version, damp) VALUES (7, 1, 'yes');
            ALTER SEQUENCE _howdah_id RESTART WITH 1000;
            """)
        return store
    }

    private static let mapping = """
            mapping:
              - make: Crate
                from: Box
                filter: size > 0
                set:
                  label: $source.title
                  volume: $source.size * 10
                  origin: "'import'"
                  shelf: $source.shelf
              - make: Tag
                from: Box
                filter: $source.title != nil
                set:
                  name: uppercase($source.title)
                  crate: $source
              - add: Room
              - remove: Cellar

        """

    private static func plan(_ mapping: String) -> String {
        "model: Library.xcdatamodeld\nstages:\n  - label: crates\n    from: v1\n    to: v2\n\(mapping)"
    }

    /// The same in Swift.
    private static var mappingModel: MappingModel {
        get throws {
            MappingModel(entityMappings: [
                EntityMapping(
                    from: "Box", to: "Crate", sourceFilter: .format("size > 0"),
                    attributeMappings: [
                        PropertyMapping("label", .source("title")),
                        PropertyMapping("volume", try MappingExpression(format: "$source.size * 10")),
                        PropertyMapping("origin", .constant("import")),
                    ],
                    relationshipMappings: [
                        PropertyMapping(
                            "shelf",
                            .destinationInstances(
                                forEntityMappingNamed: "ShelfToShelf", sourceInstances: .source("shelf")))
                    ]),
                EntityMapping(
                    from: "Box", to: "Tag", sourceFilter: .format("title != nil"),
                    attributeMappings: [
                        PropertyMapping("name", try MappingExpression(format: "uppercase($source.title)"))
                    ],
                    relationshipMappings: [
                        PropertyMapping(
                            "crate",
                            .destinationInstances(
                                forEntityMappingNamed: "BoxToCrate", sourceInstances: .source()))
                    ]),
                EntityMapping(to: "Room"), EntityMapping(from: "Cellar"),
                EntityMapping(
                    from: "Shelf", to: "Shelf",
                    attributeMappings: [PropertyMapping("label", .source("label"))]
                ),
            ])
        }
    }

    private static func rows(_ store: MigrationFolder) throws -> [String] {
        try ["crate", "tag", "shelf", "room"].flatMap { table in
            try store.texts("SELECT '\(table) ' || t::text FROM \(table) t ORDER BY _id")
        }
    }

    /// Migrates with a plan, and tells what is in the store then.
    private static func applied(_ mapping: String, _ more: String...) throws -> [String] {
        let store = try folder()
        try store.folder.write(plan(mapping), at: "plan.yml")
        let done = try Tool.run(
            ["migrate", "apply", "--plan", "plan.yml", "--quiet", "--database", store.database.url] + more,
            in: store.folder)
        #expect(done.status == 0 && done.output.hasPrefix("migrated: "), "\(done)")
        return try rows(store)
    }

    /// By the library, with the mapping model in Swift.
    private static func appliedInSwift() async throws -> [String] {
        let store = try folder()
        let read = { (version: String) throws -> ManagedObjectModel in
            let fresh = try models()
            try fresh.make(version)
            let model = try #require(try fresh.texts("SELECT model::text FROM _howdah_store").first)
            return try ManagedObjectModel(canonicalJSON: model)
        }
        let (old, new) = (try read("v1"), try read("v2"))
        var options = StoreOptions()
        options.stagedMigrationManager = StagedMigrationManager([
            MappedMigrationStage(
                migratingFrom: ManagedObjectModelReference(old, versionChecksum: old.versionChecksum),
                to: ManagedObjectModelReference(new, versionChecksum: new.versionChecksum),
                mapping: try mappingModel)
        ])
        try await PersistentContainer.open(store.database.url, model: new, options: options).close()
        return try rows(store)
    }

    @Test func aMappingDoesWhatTheSameDoesInSwift() async throws {
        let expected = try await Self.appliedInSwift()
        #expect(expected.contains { $0.hasPrefix("crate (3,2,a,20,import,1)") }, "\(expected)")
        #expect(try Self.applied(Self.mapping) == expected)
    }

    @Test func aMappingModelInAFileDoesTheSame() async throws {
        let store = try Self.folder()
        try store.folder.write(Self.plan("    mapping: models/crates.json\n"), at: "plan.yml")
        let json = String(decoding: try JSONEncoder().encode(try Self.mappingModel), as: UTF8.self)
        try store.folder.write(json, at: "models/crates.json")
        let done = try store.planned("apply", "plan.yml", "--quiet")
        #expect(done.status == 0, "\(done)")
        #expect(try await Self.rows(store) == Self.appliedInSwift())
    }

    /// The role owns its schema, and a mapped stage makes another one.
    @Test func theRightToMakeSchemasIsAskedForFirst() throws {
        let store = try Self.models()
        let role = "mapper_" + String(UInt32.random(in: .min ... .max), radix: 36)
        let database = try #require(try store.texts("SELECT quote_ident(current_database())").first)
        try store.sql(
            """
            CREATE ROLE \(role) LOGIN; CREATE SCHEMA own AUTHORIZATION \(role);
            REVOKE CREATE ON DATABASE \(database) FROM PUBLIC
            """)
        defer {
            try? store.sql(
                "DROP SCHEMA own CASCADE; REVOKE ALL ON DATABASE \(database) FROM \(role); DROP ROLE \(role)")
        }
        // The mapped stage is the second one.
        try store.folder.place(
            Self.entity(
                "Box", Self.attribute("title"), Self.attribute("size", "Integer 32"),
                Self.relationship("shelf", "Shelf", "boxes", isToMany: false))
                + Self.entity(
                    "Shelf", Self.attribute("label"),
                    Self.relationship("boxes", "Box", "shelf", isToMany: true)),
            at: "Library.xcdatamodeld/v0.xcdatamodel")
        try store.folder.write(
            Self.plan(Self.mapping).replacing("stages:\n", with: "stages:\n  - versions: [v0, v1]\n"),
            at: "plan.yml")
        let url = store.database.url.replacing("user=postgres", with: "user=\(role)")
        func tool(_ command: String...) throws -> Tool.Outcome {
            try Tool.run(
                ["migrate"] + command + [
                    "--plan", "plan.yml", "--quiet", "--schema", "own", "--database", url,
                ], in: store.folder)
        }
        #expect(try tool("apply", "--version", "v0").status == 0)
        for command in [["apply"], ["rehearse", "--live"]] {
            let refused = try Tool.run(
                ["migrate"] + command + [
                    "--plan", "plan.yml", "--quiet", "--schema", "own", "--database", url,
                ], in: store.folder)
            #expect(refused.status == 1, "\(refused)")
            #expect(
                refused.complaint.contains(
                    "Nothing was changed. Run GRANT CREATE ON DATABASE \(database) TO \(role), or CREATE SCHEMA"
                ),
                "\(refused)")
        }
        #expect(try store.texts("SELECT to_regclass('own._howdah_migration')::text") == ["nil"])
        // The control: with the right, both stages run.
        try store.sql("GRANT CREATE ON DATABASE \(database) TO \(role)")
        let applied = try tool("apply")
        #expect(applied.status == 0 && applied.output.contains("migrated: 2 stages"), "\(applied)")
    }

    @Test func itIsPlannedLintedAndRehearsed() throws {
        let store = try Self.folder()
        try store.folder.write(Self.plan(Self.mapping), at: "plan.yml")
        let plan = try store.planned("plan", "plan.yml")
        #expect(plan.status == 2 && plan.output.contains("stage 1 of 1   crates   mapped"), "\(plan)")
        #expect(
            plan.output.contains("BoxToCrate: Box → Crate: objects") && !plan.output.contains("one by one"))
        let lint = try store.planned("lint", "plan.yml")
        #expect(
            lint.status == 2 && lint.output.contains("crates, stage  rewrite")
                && lint.output.contains(
                    "Views, triggers, rules and publications on the old tables make the stage fail"),
            "\(lint)")
        let before = try store.texts("SELECT b::text FROM box b ORDER BY _id")
        let rehearsed = try store.planned("rehearse", "plan.yml", "--live", "--quiet")
        #expect(rehearsed.status == 0, "\(rehearsed)")
        #expect(try store.texts("SELECT b::text FROM box b ORDER BY _id") == before)
        #expect(try store.planned("apply", "plan.yml", "--quiet").status == 0)
        let back = try store.planned("apply", "plan.yml", "--version", "v1")
        #expect(
            back.status == 3
                && back.complaint.contains("The stage crates cannot be reversed, because it has a mapping."),
            "\(back)")
    }

    @Test func whatSQLCannotDoIsDoneOneByOne() throws {
        // Of shelves that are there already, because they are made first.
        let shelf =
            "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'ShelfToShelf', $source.shelf)"
        let rows = try Self.applied(
            """
                mapping:
                  - make: Shelf
                  - make: Crate
                    from: Box
                    set:
                      label: uppercase(\(shelf).label)
                      volume: \(shelf).@count + $source.size
                      shelf: $source.shelf
                  - remove: Cellar

            """, "--confirm-drop", "Box.title")
        #expect(
            rows.filter { $0.hasPrefix("crate") } == [
                "crate (3,2,HIGH,3,,1)", "crate (4,3,LOW,5,,2)", "crate (5,2,LOW,1,,2)", "crate (6,2,,8,,)",
            ], "\(rows)")
    }

    @Test func whatIsNotSaidGoesOnByItsName() throws {
        // Nothing is said of the label of shelves, nor of Shelf.crates, which Crate.shelf sets.
        let rows = try Self.applied(
            """
                mapping:
                  - make: Crate
                    from: Box
                    set: {shelf: $source.shelf}
                    leave: [label]
                  - make: Shelf
                    set: {crates: $source.boxes}
                  - remove: Cellar

            """, "--confirm-drop", "Box.title", "--confirm-drop", "Box.size")
        #expect(
            rows == [
                "crate (3,2,,,,1)", "crate (4,3,,,,2)", "crate (5,2,,,,2)", "crate (6,2,,,,)",
                "shelf (1,2,high)", "shelf (2,5,low)",
            ], "\(rows)")
    }

    @Test func anEntityOfWhichNothingIsSaidIsNotDropped() throws {
        let store = try Self.folder()
        let forgetful = Self.mapping.replacing("      - remove: Cellar\n", with: "")
        try store.folder.write(Self.plan(forgetful), at: "plan.yml")
        for (command, status) in [("plan", 2), ("status", 3), ("apply", 3)] {
            let refused = try store.planned(command, "plan.yml")
            #expect(
                refused.status == status
                    && (refused.output + refused.complaint).contains(
                        "Cellar: no entity mapping uses its objects"),
                "\(refused)")
        }
        #expect(try store.texts("SELECT damp FROM cellar") == ["yes"])
        let given = try store.planned("plan", "plan.yml", "--confirm-drop", "Cellar")
        #expect(given.status == 2 && !given.complaint.contains("not needed"), "\(given)")
        let other = try store.planned("apply", "plan.yml", "--confirm-all-drops", "x")
        #expect(
            other.status == 64 && !other.complaint.contains("not needed")
                && other.complaint.contains("To confirm Cellar, use --confirm-all-drops "), "\(other)")
        let refused = try store.planned("apply", "plan.yml")
        #expect(refused.complaint.contains("--confirm-drop Cellar"), "\(refused)")
        let rows = try Self.applied(forgetful, "--confirm-drop", "Cellar")
        #expect(try Self.applied(forgetful + "    confirmedDrops: [Cellar]\n") == rows)
        #expect(try Self.applied(Self.mapping) == rows)
    }

    @Test func aViewIsInTheWayBeforeAnythingIsDone() throws {
        let store = try Self.folder()
        try store.folder.write(Self.plan(Self.mapping), at: "plan.yml")
        try store.sql("CREATE SCHEMA reports; CREATE VIEW reports.sizes AS SELECT size FROM box")
        let refused = try store.planned("apply", "plan.yml")
        #expect(
            refused.status != 0 && refused.complaint.contains("reports.sizes over box")
                && refused.complaint.contains("Drop these views before the migration")
                && refused.complaint.contains("Step 1 of"), "\(refused)")
        try store.sql("DROP VIEW reports.sizes")
        #expect(try store.planned("apply", "plan.yml", "--quiet").status == 0)
    }

    @Test func newAndSquashKeepIt() throws {
        let store = try Self.folder()
        try store.folder.write(Self.plan("# said of crates\n" + Self.mapping), at: "plan.yml")
        for version in ["v3", "v4"] {
            let added = try Tool.run(
                [
                    "migrate", "new", "--plan", "plan.yml", "--model", "Library.xcdatamodeld", "--from",
                    version == "v3" ? "v2" : "v3", "--to", version,
                ], in: store.folder)
            #expect(added.status == 0, "\(added)")
        }
        let text = try String(contentsOfFile: store.folder.path + "/plan.yml", encoding: .utf8)
        #expect(text.contains("# said of crates") && text.contains("uppercase($source.title)"), "\(text)")
        func squash(_ more: String...) throws -> Tool.Outcome {
            try Tool.run(
                ["migrate", "squash", "--plan", "plan.yml", "--scratch", store.database.url] + more,
                in: store.folder)
        }
        let squashed = try squash("--stages", "2-3")
        #expect(
            squashed.status == 0 && squashed.output.hasPrefix("2 stages were replaced by one: v2 → v4"),
            "\(squashed)")
        try store.folder.write(
            Self.plan(Self.mapping).replacing("to: v2", with: "to: v4").replacing(
                "Library.xcdatamodeld", with: "../Library.xcdatamodeld"), at: "other/with.yml")
        let whole = try squash("--stages", "1-2", "--with", "other/with.yml")
        #expect(
            whole.status == 0 && whole.output.hasPrefix("2 stages were replaced by one: crates"), "\(whole)")
        #expect(try store.planned("apply", "plan.yml", "--quiet").status == 0)
        let expected = try Self.applied(Self.mapping)
        #expect(try Self.rows(store) == expected)
    }

    @Test func whatIsWrongIsSaidWithItsLine() throws {
        let store = try Self.folder()
        let item = "    mapping:\n      - make: Crate\n        from: Box\n"
        for (mapping, words) in [
            ("    mapping: none.json\n", ["does not exist"]),
            ("    mapping: []\n", ["line 6: \"mapping\" has the wrong form. Use the path"]),
            ("    mapping:\n      - from: Box\n", ["line 7: the entity needs exactly one of"]),
            ("    mapping:\n      - mkae: Box\n", ["line 7: unknown key \"mkae\". Did you mean \"make\"?"]),
            (
                "    mapping:\n      - add: Room\n        from: Box\n",
                ["line 8: \"from\" is not allowed", "or use \"make\""]
            ),
            ("    mapping:\n      - make: Crat\n", ["line 7: ", "no entity Crat. Did you mean Crate?"]),
            ("    mapping:\n      - make: Crate\n", ["line 7: the earlier model has neither Crate nor"]),
            (
                "    mapping:\n      - remove: Celar\n",
                ["earlier model has no entity Celar. Did you mean Cellar?"]
            ),
            (item.replacing("Box", with: "Boks"), ["no entity Boks. Did you mean Box?"]),
            (
                item + "        set:\n          lable: $source.title\n          volume: $source.sise\n",
                ["line 10: Crate has no property lable. Did you mean label?"]
            ),
            (
                item + "        set:\n          label: $source.size\n          volume: $source.sise\n",
                [
                    "2 errors", "- line 10: BoxToCrate.label: size is of the type", "- line 11: ",
                    "Did you mean size?",
                ]
            ),
            (item + "        set:\n          label: title\n", ["line 10: ", "Write $source.title"]),
            (
                item + "        set:\n          label: 1 +\n",
                ["line 10: the expression of label cannot be read"]
            ),
            (
                item + "        set:\n          shelf: $source.shelv\n",
                ["Box has no relationship shelv. Did you mean shelf?"]
            ),
            (
                item + "        set:\n          tags: $source\n",
                ["line 10: tags needs objects of Tag made from Box"]
            ),
            (item + "        filter: siez > 0\n", ["line 7: ", "Did you mean size?"]),
            (item + "        filter: size >\n", ["line 7: the filter cannot be read"]),
            (
                item + "        leave: [colour]\n",
                ["line 9: Crate has no property colour. Use one of these: "]
            ),
            (
                item
                    + "        set:\n          shelf: FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', "
                    + "'BoxToCrate', $source)\n      - remove: Cellar\n",
                [
                    "line 10: ",
                    "creates objects of Crate, but the relationship needs objects of Shelf, so it gets none",
                ]
            ),
            (item + "    didMigrate: SELECT 1\n", ["line 7: a stage cannot have a mapping and handlers"]),
        ] {
            try store.folder.write(Self.plan(mapping), at: "plan.yml")
            let outcome = try store.planned("status", "plan.yml")
            // A file that does not exist is a wrong argument.
            let status: Int32 = mapping.contains("none.json") ? 64 : 1
            #expect(outcome.status == status, "\(mapping): \(outcome)")
            for part in words { #expect(outcome.complaint.contains(part), "\(mapping): \(outcome)") }
        }
    }
}
