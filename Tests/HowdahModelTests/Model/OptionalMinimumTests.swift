import Foundation
import HowdahModel
import Testing

/// The optionality of a to-many relationship counts only beside a minimum count, and no checksum of earlier models changes.
@Suite struct OptionalMinimumTests {
    private static func model(
        bench: Bool? = nil, players: Bool? = nil, minimum: Int = 2
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Player",
                properties: [
                    .attribute("name", .string),
                    .relationship("reserve", to: "Team", inverse: "bench"),
                    .relationship("team", to: "Team", inverse: "players"),
                ]),
            EntityDescription(
                "Team",
                properties: [
                    .attribute("name", .string, optional: false),
                    .relationship(
                        "bench", to: "Player", inverse: "reserve", toMany: true, optional: bench, minCount: 1,
                        maxCount: 3),
                    .relationship(
                        "players", to: "Player", inverse: "team", toMany: true, optional: players,
                        minCount: minimum, maxCount: 4),
                ]),
        ])
    }

    /// The checksum that libraries before gave to a required bench and to players with a minimum, optional or not.
    private static let earlier = "937cb868da68a3ac8c08c789371afdcbe88524ba92b031cc22d769a619a59273"

    @Test func modelsWithoutAnOptionalMinimumKeepTheirChecksum() throws {
        #expect(try Self.model(bench: false).versionChecksum == Self.earlier)
        // Without a minimum count, the word has no effect.
        let free = try [nil, true, false].map { try Self.model(players: $0, minimum: 0).versionChecksum }
        #expect(Set(free).count == 1)
    }

    @Test func anOptionalMinimumIsPartOfTheChecksum() throws {
        let model = try Self.model(bench: false, players: true)
        #expect(model.versionChecksum != Self.earlier)
        #expect(model.hasChecksum(Self.earlier) && model.hasChecksum(model.versionChecksum))
        #expect(try !model.hasChecksum(Self.model(bench: false, players: false).versionChecksum))
        #expect(try !Self.model(bench: false).hasChecksum(model.versionChecksum))
        // The word is there for those two, and each reads as it was written.
        let text = model.canonicalJSON
        #expect(text.contains("\"isOptional\": true") && text.contains("\"isOptional\": false"))
        for model in try [
            model, Self.model(), Self.model(players: false), Self.model(players: true, minimum: 0),
        ] {
            let read = try ManagedObjectModel(canonicalJSON: model.canonicalJSON)
            #expect(read == model && read.versionChecksum == model.versionChecksum)
        }
    }

    @Test func aMinimumMeansRequiredUnlessTheModelSaysOtherwise() {
        func isOptional(_ stated: Bool?, _ minimum: Int, toMany: Bool = true) -> Bool {
            RelationshipDescription("a", to: "B", toMany: toMany, optional: stated, minCount: minimum)
                .isOptional
        }
        #expect(isOptional(nil, 0) && !isOptional(nil, 1) && isOptional(true, 1) && !isOptional(false, 0))
        #expect(isOptional(nil, 0, toMany: false) && !isOptional(false, 0, toMany: false))
        var changed = RelationshipDescription("a", to: "B", toMany: true, optional: true)
        #expect(changed == RelationshipDescription("a", to: "B", toMany: true))
        changed.minCount = 1
        #expect(changed != RelationshipDescription("a", to: "B", toMany: true, minCount: 1))
    }

    /// Equality compares each field; a new one has to be added there.
    @Test func descriptionsDifferByEachField() {
        let base = RelationshipDescription("a", to: "B", inverse: "c", toMany: true, minCount: 1)
        let changes: [(inout RelationshipDescription) -> Void] = [
            { $0.name = "x" }, { $0.destination = "x" }, { $0.inverse = nil }, { $0.minCount = 2 },
            { $0.maxCount = 3 }, { $0.isOrdered = true }, { $0.isOptional = true }, { $0.deleteRule = .deny },
            { $0.isTransient = true }, { $0.renamingIdentifier = "x" }, { $0.versionHashModifier = "x" },
            { $0.userInfo = ["x": "y"] },
        ]
        #expect(Mirror(reflecting: base).children.count == changes.count)
        for change in changes {
            var other = base
            change(&other)
            #expect(other != base)
        }
    }
}
