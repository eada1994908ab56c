import Foundation
import HowdahModel
import Testing

struct ChecksumTests {
    private static let small = [
        EntityDescription(
            "Person",
            properties: [
                .attribute("name", .string, optional: false, default: "é"),
                .attribute("home", .composite(.init("Place", [.init("latitude", .double, minimum: -90)]))),
                .relationship("pets", to: "Pet", inverse: "owner", toMany: true, deleteRule: .cascade),
            ], uniquenessConstraints: [["name"]]),
        EntityDescription("Pet", properties: [.relationship("owner", to: "Person", inverse: "pets")]),
    ]

    @Test func canonicalJSONLooksLikeThis() throws {
        let model = try ManagedObjectModel(entities: Self.small)
        #expect(model.canonicalJSON == smallModelJSON)
        #expect(try ManagedObjectModel(canonicalJSON: smallModelJSON) == model)
    }

    /// Stores carry it: another value means that none of them opens any more.
    @Test func theChecksumIsThis() throws {
        let model = try ManagedObjectModel(entities: Self.small)
        #expect(model.versionChecksum == smallModelChecksum)
        let empty = try ManagedObjectModel(entities: [])
        #expect(empty.versionChecksum == emptyModelChecksum)
    }

    private static func checksum(_ change: (inout [EntityDescription]) -> Void) throws -> String {
        var entities = small
        change(&entities)
        return try ManagedObjectModel(entities: entities).versionChecksum
    }

    private static func attribute(_ change: (inout AttributeDescription) -> Void) throws -> String {
        try checksum { entities in
            var attribute = AttributeDescription("name", .string, optional: false, default: "é")
            change(&attribute)
            entities[0].properties[0] = .attribute(attribute)
        }
    }

    private static func relationship(_ change: (inout RelationshipDescription) -> Void) throws -> String {
        try checksum { entities in
            var relationship = RelationshipDescription(
                "pets", to: "Pet", inverse: "owner", toMany: true, deleteRule: .cascade)
            change(&relationship)
            entities[0].properties[2] = .relationship(relationship)
        }
    }

    @Test func whatIsNotStoredDoesNotCount() throws {
        let same = [
            try Self.checksum { $0[0].className = "PersonObject" },
            try Self.checksum { $0[0].userInfo["note"] = "x" },
            try Self.checksum { $0[0].renamingIdentifier = "Person" },
            try Self.checksum { $0.reverse() },
            try Self.checksum { $0[0].properties.reverse() },
            try Self.checksum { $0[0].properties.append(.attribute("t", .string, transient: true)) },
            try Self.checksum { $0[0].properties.append(.attribute("u", .undefined)) },
            try Self.checksum {
                let place = CompositeDescription("Spot", [.init("latitude", .double, minimum: -90)])
                $0[0].properties[1] = .attribute("home", .composite(place))
            },
            try Self.attribute { $0.userInfo["note"] = "x" },
            try Self.attribute { $0.valueTransformerName = "T" },
            try Self.attribute { $0.renamingIdentifier = "title" },
            try Self.attribute { $0.allowsExternalBinaryDataStorage = true },
            try Self.attribute { $0.valueClassName = "Name" },
            try Self.attribute { $0.preservesValueInHistoryOnDeletion = true },
            try Self.relationship { $0.userInfo["note"] = "x" },
            try Self.relationship { $0.isOptional = false },
            try Self.checksum {
                $0[0].properties.append(.relationship("friend", to: "Person", transient: true))
            },
            try Self.checksum {
                $0[0].fetchedProperties = [FetchedPropertyDescription("all", .init(entityName: "Pet"))]
            },
            try Self.relationship { $0.renamingIdentifier = "animals" },
        ]
        #expect(same.allSatisfy { $0 == smallModelChecksum }, "\(same)")
    }

    @Test("A model that preserves more values in history has no differences from the store's")
    func preservationIsNoDifference() throws {
        var entities = Self.small
        for (entity, old) in Self.small.enumerated() {
            entities[entity].properties = old.properties.map { property in
                guard var attribute = property.attribute else { return property }
                attribute.preservesValueInHistoryOnDeletion = true
                return .attribute(attribute)
            }
        }
        let (model, stored) = try (
            ManagedObjectModel(entities: entities), ManagedObjectModel(entities: Self.small)
        )
        #expect(model != stored)
        #expect(model.differences(from: stored) == [])
        #expect(model.versionChecksum == stored.versionChecksum)
        #expect(model.entityVersionHashes == stored.entityVersionHashes)
        #expect(try ManagedObjectModel(canonicalJSON: model.canonicalJSON) == model)
    }

    @Test func entitiesHaveHashesOfTheirOwn() throws {
        let model = try ManagedObjectModel(entities: Self.small)
        var entities = Self.small
        entities[1].versionHashModifier = "2"
        let changed = try ManagedObjectModel(entities: entities)
        #expect(model.entityVersionHashes.keys.sorted() == ["Person", "Pet"])
        #expect(changed.entityVersionHashes["Person"] == model.entityVersionHashes["Person"])
        #expect(changed.entityVersionHashes["Pet"] != model.entityVersionHashes["Pet"])
    }

    @Test func aCompositeDefaultCountsByElementNotByPosition() throws {
        func checksum(_ names: [String], _ values: [Value]) throws -> String {
            let pair = CompositeDescription("Pair", names.map { AttributeDescription($0, .double) })
            return try ManagedObjectModel(entities: [
                EntityDescription(
                    "A", properties: [.attribute("p", .composite(pair), default: .composite(values))])
            ]).versionChecksum
        }
        let plain = try checksum(["a", "b"], [.double(1), .double(2)])
        #expect(try checksum(["b", "a"], [.double(2), .double(1)]) == plain)
        #expect(try checksum(["b", "a"], [.double(1), .double(2)]) != plain)
    }

    @Test func whatIsStoredCounts() throws {
        let different = [
            try Self.checksum { $0[0].isAbstract = true },
            try Self.checksum { $0[0].renamingIdentifier = "Human" },
            try Self.checksum { $0[0].versionHashModifier = "2" },
            try Self.checksum { $0[0].userInfo[MappingKey.table] = "people" },
            try Self.checksum { $0[0].uniquenessConstraints = [] },
            try Self.checksum { $0[0].properties[1] = .attribute("home", .double) },
            try Self.checksum { $0.append(EntityDescription("Toy")) },
            try Self.checksum { $0.append(EntityDescription("Cat", superentity: "Pet")) },
            try Self.checksum {
                $0[0].properties[0] = .attribute("title", .string, optional: false, default: "é")
                $0[0].uniquenessConstraints = [["title"]]
            },
            try Self.attribute { $0.isOptional = true },
            try Self.attribute { $0.defaultValue = nil },
            try Self.attribute { $0.defaultValue = "x" },
            try Self.attribute { $0.minimumLength = 1 },
            try Self.attribute { $0.maximumLength = 9 },
            try Self.attribute { $0.regex = "x" },
            try Self.attribute { $0.versionHashModifier = "2" },
            try Self.attribute { $0.userInfo[MappingKey.column] = "full_name" },
            try Self.relationship { $0.deleteRule = .deny },
            try Self.relationship { $0.isOrdered = true },
            try Self.relationship { $0.minCount = 1 },
            try Self.relationship { ($0.minCount, $0.isOptional) = (1, false) },
            try Self.relationship { $0.versionHashModifier = "2" },
            try Self.checksum {
                $0[1].properties = [.relationship("owner", to: "Person", inverse: "pets", optional: false)]
            },
            try Self.checksum { $0[0].fetchIndexes = [FetchIndexDescription("byName", on: "name")] },
            try Self.checksum {
                $0[0].fetchIndexes = [FetchIndexDescription("byName", elements: [.folded("name")])]
            },
            try Self.checksum {
                $0[0].fetchIndexes = [
                    FetchIndexDescription(
                        "byName", elements: [.folded("name", options: .caseInsensitive)])
                ]
            },
            try Self.attribute { $0.userInfo[MappingKey.foldedIndex] = "cd" },
            try Self.checksum { $0[0].properties.append(.attribute("seen", .date)) },
            try Self.checksum { $0[0].properties.append(.attribute("seen", .date, derivation: "now()")) },
            try Self.attribute { $0.allowedValues = ["é", "è"] },
            try Self.relationship { $0.maxCount = 9 },
        ]
        #expect(!different.contains(smallModelChecksum))
        #expect(Set(different).count == different.count)
    }
}
