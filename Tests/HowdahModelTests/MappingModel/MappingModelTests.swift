import Foundation
import Testing

@testable import HowdahModel

/// Two versions of a model, and mappings between them.
struct MappingModelTests {
    static let source = try? ManagedObjectModel(entities: [
        EntityDescription(
            "Box",
            properties: [
                .attribute("title", .string), .attribute("size", .integer16),
                .attribute("made", .date),
                .attribute(
                    "inside",
                    .composite(
                        CompositeDescription(
                            "I",
                            [
                                AttributeDescription("width", .double)
                            ]))),
                .relationship("shelf", to: "Shelf", inverse: "boxes"),
                .relationship("items", to: "Item", inverse: "box", toMany: true),
            ]),
        EntityDescription(
            "Shelf",
            properties: [
                .attribute("label", .string),
                .relationship("boxes", to: "Box", inverse: "shelf", toMany: true),
            ]),
        EntityDescription(
            "Item",
            properties: [
                .attribute("name", .string), .attribute("weight", .double),
                .relationship("box", to: "Box", inverse: "items"),
            ]),
        EntityDescription("Cup", superentity: "Item"), EntityDescription("Cellar"),
    ])
    static let destination = try? ManagedObjectModel(entities: [
        EntityDescription(
            "Crate",
            properties: [
                .attribute("label", .string, optional: false), .attribute("size", .integer32),
                .attribute("made", .date), .attribute("width", .double),
                .relationship("shelf", to: "Shelf", inverse: "crates"),
                .relationship("items", to: "Item", inverse: "crate", toMany: true),
            ]),
        EntityDescription(
            "Shelf",
            properties: [
                .attribute("label", .string),
                .relationship("crates", to: "Crate", inverse: "shelf", toMany: true),
            ]),
        EntityDescription(
            "Item",
            properties: [
                .attribute("name", .string), .attribute("weight", .double),
                .relationship("crate", to: "Crate", inverse: "items", optional: false),
            ]),
        EntityDescription("Cup", superentity: "Item"), EntityDescription("Room"),
    ])

    static func generated(_ names: String...) -> [PropertyMapping] {
        names.map { PropertyMapping($0, generatesValueExpression: true) }
    }

    static let sound = MappingModel(entityMappings: [
        EntityMapping(
            from: "Box", to: "Crate", mappingType: .undefined,
            attributeMappings: [PropertyMapping("label", .source("title"))] + generated("size", "made"),
            relationshipMappings: generated("shelf", "items")),
        EntityMapping(
            from: "Shelf", to: "Shelf", mappingType: .undefined, attributeMappings: generated("label"),
            relationshipMappings: [
                PropertyMapping(
                    "crates",
                    .destinationInstances(
                        forEntityMappingNamed: "BoxToCrate", sourceInstances: .source("boxes")))
            ]),
        EntityMapping(
            from: "Item", to: "Item", attributeMappings: generated("name", "weight"),
            relationshipMappings: generated("crate")),
        EntityMapping(
            from: "Cup", to: "Cup", attributeMappings: generated("name", "weight"),
            relationshipMappings: generated("crate")),
        EntityMapping(to: "Room"), EntityMapping(from: "Cellar"),
    ])

    @Test func typesFollowFromWhatIsGiven() {
        #expect(
            Self.sound.entityMappings.map(\.mappingType)
                == [.undefined, .undefined, .transform, .transform, .add, .remove])
        #expect(
            Self.sound.entityMappings.map(\.name)
                == ["BoxToCrate", "ShelfToShelf", "ItemToItem", "CupToCup", "Room", "Cellar"])
        #expect(
            EntityMapping(from: "A", to: "B", entityMigrationPolicyClassName: "P").mappingType == .custom)
    }

    @Test func whatIsLeftOpenIsFilledInFromTheModels() throws {
        let (source, destination) = (try #require(Self.source), try #require(Self.destination))
        let resolved = try Self.sound.resolved(from: source, to: destination)
        let box = resolved.entityMappings[0]
        #expect(box.mappingType == .transform)
        #expect(
            box.attributeMappings.map(\.valueExpression)
                == [.source("title"), .source("size"), .source("made")])
        #expect(
            box.relationshipMappings.map(\.valueExpression) == [
                .destinationInstances(
                    forEntityMappingNamed: "ShelfToShelf", sourceInstances: .source("shelf")),
                // Items have subentities, each with a mapping of its own.
                .destinationInstances(
                    forSourceRelationshipNamed: "items", sourceInstances: .source("items")),
            ])
        #expect(box.sourceEntityVersionHash == source.entityVersionHashes["Box"])
        #expect(box.destinationEntityVersionHash == destination.entityVersionHashes["Crate"])
        // There is no crate in the source; the items of crates set it.
        #expect(resolved.entityMappings[2].relationshipMappings == [PropertyMapping("crate")])
        #expect(try resolved.resolved(from: source, to: destination) == resolved)
        let same = try Self.sound.resolved(from: source, to: destination).entityMappings
        #expect(same.allSatisfy { $0.mappingType != .undefined })
    }

    @Test func entitiesThatAreTheSameAreCopied() throws {
        let source = try #require(Self.source)
        let whole = EntityMapping(
            from: "Shelf", to: "Shelf", mappingType: .undefined, attributeMappings: Self.generated("label"),
            relationshipMappings: Self.generated("boxes"))
        let boxes = EntityMapping(from: "Box", to: "Box", mappingType: .undefined)
        let resolved = try MappingModel(entityMappings: [whole, boxes]).resolved(from: source, to: source)
        #expect(resolved.entityMappings.map(\.mappingType) == [.copy, .transform])
    }

    @Test func mappingModelsAreCodable() throws {
        var model = Self.sound
        model.entityMappings[0].sourceFilter = .format("size > 3 AND title != nil")
        model.entityMappings[0].userInfo = ["a": "b"]
        model.entityMappings[0].attributeMappings[0].userInfo = ["c": "d"]
        model.entityMappings[1].entityMigrationPolicyClassName = "P"
        model.entityMappings[2].sourceEntityVersionHash = "1"
        let data = try JSONEncoder().encode(model)
        #expect(try JSONDecoder().decode(MappingModel.self, from: data) == model)
        let small = #"{"entityMappings":[{"sourceEntityName":"A","destinationEntityName":"B"}]}"#
        #expect(
            try JSONDecoder().decode(MappingModel.self, from: Data(small.utf8))
                == MappingModel(entityMappings: [EntityMapping(from: "A", to: "B")]))
    }

    @Test func entitiesWithoutAMappingAreWarnedOf() throws {
        let (source, destination) = (try #require(Self.source), try #require(Self.destination))
        #expect(Self.sound.warnings(from: source, to: destination).isEmpty)
        var model = Self.sound
        model.entityMappings.removeLast()
        let warnings = model.warnings(from: source, to: destination)
        #expect(warnings.map(\.code) == [.unmappedEntity])
        #expect(warnings.first?.message.contains("Cellar") == true)
    }
}
