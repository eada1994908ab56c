import HowdahModel
import Testing

struct StoreSchemaTests {
    private static func schema(_ entities: EntityDescription...) throws -> StoreSchema {
        try StoreSchema(ManagedObjectModel(entities: entities))
    }

    @Test(arguments: [
        ("firstName", "first_name"), ("URLString", "url_string"), ("HTTPServer2URL", "http_server2_url"),
        ("x", "x"),
        ("already_snake", "already_snake"), ("two words", "two_words"), ("a\"b", "a_b"),
        ("ÄnderungsDatum", "änderungs_datum"),
        ("number of reports", "number_of_reports"), ("ID", "id"), ("userID", "user_id"),
    ])
    func namesBecomeSnakeCase(name: String, expected: String) throws {
        let schema = try Self.schema(EntityDescription("A", properties: [.attribute(name, .string)]))
        #expect(schema.table(named: "a")?.columns.last?.name == expected)
    }

    @Test func longAndCollidingNamesGetASuffixOfTheirOwn() throws {
        let long = String(repeating: "é", count: 40)
        func columns(_ names: [String]) throws -> [String: String] {
            let schema = try Self.schema(
                EntityDescription("A", properties: names.map { .attribute($0, .string) }))
            let mapping = try #require(schema.entities["A"])
            return Dictionary(
                uniqueKeysWithValues: try names.map { name in
                    guard
                        case .attribute(let attribute) = try #require(mapping.property(named: name)?.mapping)
                    else {
                        throw Missing()
                    }
                    return (name, attribute.columns[0].name)
                })
        }
        let both = try columns(["fooBar", "foo_bar", long, long + "x", "_id", "ctid"])
        #expect(Set(both.values).count == 6)
        #expect(both["fooBar"] == "foo_bar")
        #expect(both.values.allSatisfy { $0.utf8.count <= 63 })
        #expect(both["_id"]?.hasPrefix("_id_") == true && both["ctid"]?.hasPrefix("ctid_") == true)
        // A suffix depends on whose it is, not on who else is there.
        #expect(try columns([long + "x"])[long + "x"] == both[long + "x"])
        #expect(try columns(["foo_bar", "fooBar"])["foo_bar"] == both["foo_bar"])
    }

    private struct Missing: Error {}

    @Test func whatIsAddedLaterRenamesNothing() throws {
        let zoo = EntityDescription(
            "Zoo",
            properties: [
                .attribute("catName", .string), .relationship("ownerX", to: "Zoo"),
                .relationship("bs", to: "Zoo", toMany: true),
            ])
        let cat = EntityDescription("Cat", superentity: "Zoo", properties: [.attribute("name", .string)])
        let owner = EntityDescription(
            "Owner", superentity: "Zoo", properties: [.attribute("xEntity", .string)])
        let columns = try #require(try Self.schema(zoo, cat, owner).table(named: "zoo")).columns.map(\.name)
        #expect(columns.contains("cat_name") && columns.contains("owner_x_entity"))
        let mapping = try #require(try Self.schema(zoo, cat, owner).entities["Cat"])
        guard case .attribute(let own)? = mapping.property(named: "name")?.mapping,
            case .attribute(let inherited)? = mapping.property(named: "catName")?.mapping
        else {
            throw Missing()
        }
        #expect(inherited.columns[0].name == "cat_name" && own.columns[0].name.hasPrefix("cat_name_"))
        guard case .toOne(let ownerX)? = mapping.property(named: "ownerX")?.mapping else { throw Missing() }
        #expect(ownerX.entityColumn == "owner_x_entity")
        // A table of links does not take an entity's name either.
        let crowded = try Self.schema(zoo, EntityDescription("ZooBs"))
        #expect(crowded.entities["ZooBs"]?.table == "zoo_bs")
    }

    @Test func givenNamesAreKeptOrRefused() throws {
        let schema = try Self.schema(
            EntityDescription(
                "A",
                properties: [
                    .attribute("x", .string, userInfo: [MappingKey.column: "Völlig anders"]),
                    .relationship("bs", to: "A", toMany: true, userInfo: [MappingKey.table: "links"]),
                ], userInfo: [MappingKey.table: "Old Table"]))
        #expect(schema.tables.map(\.name) == ["Old Table", "links"])
        #expect(schema.table(named: "Old Table")?.column("Völlig anders") != nil)

        func codes(_ properties: [PropertyDescription], _ userInfo: [String: String] = [:]) -> [ModelIssue
            .Code]
        {
            do {
                _ = try Self.schema(EntityDescription("A", properties: properties, userInfo: userInfo))
                return []
            } catch {
                return (error as? ModelError)?.issues.map(\.code) ?? []
            }
        }
        func column(_ name: String) -> PropertyDescription {
            .attribute("x\(name.count)", .string, userInfo: [MappingKey.column: name])
        }
        for name in ["_id", "xmin", "", "a\nb", String(repeating: "x", count: 64)] {
            #expect(codes([column(name)]).first == .invalidMapping, "\(name)")
        }
        #expect(
            codes([column("y"), .attribute("z", .string, userInfo: [MappingKey.column: "y"])]) == [
                .invalidMapping
            ])
        #expect(codes([.attribute("y", .string), column("y")]).isEmpty)
        #expect(codes([.attribute("y", .string, userInfo: [MappingKey.jsonb: "true"])]) == [.invalidMapping])
        #expect(codes([.attribute("y", .string, userInfo: [MappingKey.table: "t"])]) == [.invalidMapping])
        #expect(codes([], [MappingKey.table: "_howdah_store"]) == [.invalidMapping])
    }

    @Test func schemaNamesOfTheServerAreRefused() throws {
        let model = try ManagedObjectModel(entities: [])
        for name in ["", "pg_store", "information_schema", "a\u{0}", String(repeating: "é", count: 32)] {
            #expect(throws: ModelError.self, "\(name)") { try StoreSchema(model, schemaName: name) }
        }
        #expect(try StoreSchema(model, schemaName: "Mein \"Schema\"").schemaName == "Mein \"Schema\"")
    }

    @Test func addingASiblingRenamesNothing() throws {
        let root = EntityDescription("Media", properties: [.attribute("size", .integer64)])
        let song = EntityDescription(
            "Song", superentity: "Media", properties: [.attribute("length", .double)])
        let book = EntityDescription(
            "Book", superentity: "Media", properties: [.attribute("length", .integer32)])
        let before = try Self.schema(root, song)
        let after = try Self.schema(root, song, book)
        let columns = try #require(after.table(named: "media")?.columns)
        #expect(try #require(before.table(named: "media")?.columns).allSatisfy(columns.contains))
        #expect(columns.map(\.name) == ["_id", "_version", "_entity", "size", "book_length", "song_length"])
    }

    @Test func storedNamesStayWhenAnEntityIsRenamed() throws {
        let schema = try Self.schema(
            EntityDescription("Person"),
            EntityDescription("Boss", superentity: "Person", renamingIdentifier: "Manager"))
        #expect(schema.entities["Person"]?.concreteStoredNames == ["Manager", "Person"])
        #expect(schema.entities["Boss"]?.discriminator == "_entity")
        #expect(schema.entityName(forStoredName: "Manager") == "Boss")
        #expect(schema.entityName(forStoredName: "Boss") == nil)
    }

    @Test func aLoneEntityHasNoDiscriminator() throws {
        let schema = try Self.schema(EntityDescription("A"))
        #expect(schema.entities["A"]?.discriminator == nil)
        #expect(schema.table(named: "a")?.columns.map(\.name) == ["_id", "_version"])
        #expect(schema.table(named: "a")?.column("_version")?.defaultValue == 1)
        #expect(schema.table(named: "a")?.column("_id")?.isIDSequenceDefault == true)
    }

    @Test func defaultsInsideOptionalCompositesAreNotTheColumns() throws {
        let place = CompositeDescription("Place", [.init("x", .double, default: 1), .init("y", .double)])
        let schema = try Self.schema(
            EntityDescription(
                "A",
                properties: [
                    .attribute("a", .composite(place)), .attribute("b", .composite(place), optional: false),
                    .attribute("c", .composite(place), default: .composite([3, 4])),
                ]))
        let table = try #require(schema.table(named: "a"))
        #expect(
            ["a_x", "a_y", "b_x", "b_y", "c_x", "c_y"].map { table.column($0)?.defaultValue }
                == [nil, nil, .double(1), nil, .double(3), .double(4)])
    }

    @Test func uniquenessInHierarchies() throws {
        let schema = try Self.schema(
            EntityDescription("Root", properties: [.attribute("a", .string)], uniquenessConstraints: [["a"]]),
            EntityDescription(
                "Middle", superentity: "Root", properties: [.attribute("b", .string)],
                uniquenessConstraints: [["a"], ["a", "b"]]),
            EntityDescription(
                "Leaf", superentity: "Middle", properties: [.attribute("c", .string)],
                uniquenessConstraints: [["b"], ["b", "c"]]))
        let uniques = try #require(schema.table(named: "root")).uniques
        #expect(
            uniques.map(\.columns) == [
                ["a"], ["a"], ["a", "middle_b"], ["middle_b"], ["middle_b", "leaf_c"],
            ])
        #expect(
            uniques.map(\.filter) == [
                nil, .isOneOf(column: "_entity", ["Leaf", "Middle"]), nil,
                .isOneOf(column: "_entity", ["Leaf"]), nil,
            ])
    }
}
