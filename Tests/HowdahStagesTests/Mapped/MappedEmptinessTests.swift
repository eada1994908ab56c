import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Entity mappings without content, nil, and associations that name a mapping of another entity.
@Suite(.needsSession) struct MappedEmptinessTests {
    private static let crates =
        "SELECT c.name, c.crate_size::text, c.crate_note, s.label FROM thing AS c LEFT JOIN shelf AS s ON s._id = c.crate_shelf "
        + "ORDER BY c._id"

    private static let shelves = EntityMapping(
        from: "Shelf", to: "Shelf", attributeMappings: [PropertyMapping("label", .source("label"))])

    private static func boxes(
        _ attributes: [PropertyMapping] = [PropertyMapping("name", .source("name"))],
        shelf: MappingExpression? = nil
    ) -> EntityMapping {
        EntityMapping(
            from: "Box", to: "Crate", attributeMappings: attributes,
            relationshipMappings: shelf.map { [PropertyMapping("shelf", $0)] } ?? [])
    }

    private static let rest = [EntityMapping(from: "Lamp"), EntityMapping(to: "Room")]

    @Test(arguments: CrateStore.Way.allCases)
    func objectsOfEmptyMappingsHaveDefaults(_ way: CrateStore.Way) async throws {
        let mappings =
            [
                // Of abstract entities, there is nothing to make.
                EntityMapping(from: "Thing", to: "Thing"), EntityMapping(from: "Box", to: "Crate"),
                EntityMapping(from: "Shelf", to: "Shelf"),
                EntityMapping(from: "Lamp", to: "Lamp", mappingType: .copy),
                EntityMapping(to: "Room"),
            ]
        let rows = try await CrateStore().rows(mappings, way, Self.crates)
        #expect(rows == Array(repeating: [nil, "7", "new", nil], count: 3))
        let counts =
            "SELECT (SELECT count(*) FROM shelf WHERE label IS NULL)::text, (SELECT count(*) FROM lamp WHERE watts IS NULL)::text, "
            + "(SELECT count(*) FROM room)::text"
        #expect(try await CrateStore().rows(mappings, way, counts) == [["2", "1", "0"]])
    }

    @Test func removalsLeaveNothing() async throws {
        let mappings = ["Box", "Shelf", "Lamp"].map { EntityMapping(from: $0) }
        let rows = try await CrateStore().rows(
            mappings, .statements,
            "SELECT (SELECT count(*) FROM thing)::text, (SELECT count(*) FROM shelf)::text, (SELECT count(*) FROM lamp)::text"
        )
        #expect(rows == [["0", "0", "0"]])
    }

    @Test(arguments: CrateStore.Way.allCases)
    func nilClearsWhatADefaultWouldFill(_ way: CrateStore.Way) async throws {
        let mappings =
            [
                Self.boxes(
                    [
                        PropertyMapping("name", .source("name")), PropertyMapping("size", .constant(.null)),
                        PropertyMapping("note", .constant(.null)),
                    ], shelf: .constant(.null)), Self.shelves,
            ] + Self.rest
        let rows = try await CrateStore().rows(mappings, way, Self.crates)
        #expect(rows == (0..<3).map { ["box \($0)", nil, nil, nil] })
    }

    @Test(arguments: CrateStore.Way.allCases)
    func mappingsOfOtherEntitiesLeaveTheRelationshipEmpty(_ way: CrateStore.Way) async throws {
        func rows(_ name: String, _ instances: MappingExpression) async throws -> [String?] {
            let boxes = Self.boxes(
                shelf: .destinationInstances(forEntityMappingNamed: name, sourceInstances: instances))
            let mappings = [
                boxes, Self.shelves, EntityMapping(from: "Lamp", to: "Lamp"), EntityMapping(to: "Room"),
            ]
            if way == .statements {
                let plan = try CrateStore().stage(mappings).plan(from: CrateStore.old, to: CrateStore().new)
                #expect(!plan.steps.contains { $0.reason.contains("one by one") })
                #expect(
                    plan.warnings.contains { $0.contains("BoxToCrate.shelf: The entity mapping") }
                        == (name != "ShelfToShelf" || instances == .source()), "\(plan.changes)")
            }
            return try await CrateStore().rows(mappings, way, Self.crates).map { $0[3] }
        }
        #expect(try await rows("ShelfToShelf", .source("shelf")) == ["high", "low", nil])
        #expect(try await rows("LampToLamp", .source("shelf")) == [nil, nil, nil])
        #expect(try await rows("ShelfToShelf", .source()) == [nil, nil, nil])
        #expect(try await rows("BoxToCrate", .source()) == [nil, nil, nil])
        #expect(try await rows("Room", .source("shelf")) == [nil, nil, nil])
    }

    @Test func aRequiredRelationshipThatStaysEmptyIsRefused() throws {
        let store = CrateStore(needsShelf: true)
        for (expression, name) in [
            (
                MappingExpression.destinationInstances(
                    forEntityMappingNamed: "BoxToCrate", sourceInstances: .source()), "association"
            ), (.constant(.null), "nil"),
        ] {
            let mappings = [Self.boxes(shelf: expression), Self.shelves] + Self.rest
            let error = #expect(throws: MigrationError.self, "\(name)") {
                try store.stage(mappings).plan(from: CrateStore.old, to: store.new)
            }
            #expect(error?.code == .invalidMapping, "\(name)")
            #expect(
                error?.message.contains("The mapping gives no object to Crate.shelf, which requires one.")
                    == true,
                "\(name): \(error?.message ?? "")")
        }
    }

    /// The mapping fits, and one box has no shelf.
    @Test(arguments: CrateStore.Way.allCases)
    func aRequiredRelationshipWithoutAnObjectIsNamed(_ way: CrateStore.Way) async throws {
        let mappings =
            [
                Self.boxes(
                    shelf: .destinationInstances(
                        forEntityMappingNamed: "ShelfToShelf", sourceInstances: .source("shelf"))),
                Self.shelves,
            ] + Self.rest
        let error = await #expect(throws: StoreError.self) {
            try await CrateStore(needsShelf: true).rows(mappings, way, Self.crates)
        }
        #expect(error?.message.contains("Crate.shelf") == true, "\(error?.message ?? "")")
    }

    /// From a concrete entity, objects would have to be made.
    @Test func abstractDestinationsOfConcreteSourcesAreRefused() throws {
        let mappings = [
            EntityMapping(from: "Box", to: "Thing"), EntityMapping(from: "Shelf"),
            EntityMapping(from: "Lamp"),
        ]
        let error = #expect(throws: MigrationError.self) {
            try CrateStore().stage(mappings).plan(from: CrateStore.old, to: CrateStore().new)
        }
        #expect(error?.message.contains("Thing is abstract") == true)
    }
}
