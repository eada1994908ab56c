import HowdahModel
import Testing

@testable import HowdahBrowse

/// Labels, masks and the tree of entities.
@Suite struct ModelGuideTests {
    private func guide(_ entities: [EntityDescription]) throws -> ModelGuide {
        ModelGuide(model: try ManagedObjectModel(entities: entities))
    }

    @Test func labelsComeFromTheModelThenFromUniqueTextsThenFromUsualNames() throws {
        let guide = try guide([
            EntityDescription(
                "Chosen", properties: [.attribute("name", .string), .attribute("code", .string)],
                userInfo: ["howdah.label": "code"]),
            EntityDescription("Below", superentity: "Chosen", properties: [.attribute("title", .string)]),
            EntityDescription(
                "Unique", properties: [.attribute("name", .string), .attribute("slug", .string)],
                uniquenessConstraints: [["slug"]]),
            EntityDescription(
                "Usual", properties: [.attribute("email", .string), .attribute("title", .string)]),
            EntityDescription("Bare", properties: [.attribute("number", .integer64)]),
            EntityDescription(
                "Post", properties: [.attribute("body", .string), .attribute("postTitle", .string)]),
            EntityDescription(
                "Secret",
                properties: [
                    .attribute(AttributeDescription("name", .string, userInfo: ["howdah.sensitive": "yes"])),
                    .attribute("email", .string),
                ]),
        ])
        let labels = ["Chosen", "Below", "Unique", "Usual", "Bare", "Post", "Secret"].map {
            guide.label(of: $0)
        }
        #expect(labels == ["code", "code", "slug", "title", nil, "postTitle", "email"])
        #expect(
            guide.tree.map { "\($0.depth)\($0.entity.name)" }.prefix(3) == ["0Bare", "0Chosen", "1Below"])
    }

    @Test func theMainColumnsAreWhatIsUsedAndRequired() throws {
        let guide = try guide([
            EntityDescription(
                "Wide",
                properties: (1...5).map { .attribute("a\($0)", .string) } + [
                    .attribute("must", .string, optional: false), .attribute("name", .string),
                ])
        ])
        #expect(guide.mainColumns(of: "Wide", 9, used: ["a5"]).first == "a1")
        #expect(guide.mainColumns(of: "Wide", 4, used: ["a5", "no"]) == ["name", "a5", "must", "a1"])
    }

    @Test func masksCoverPathsAndComposites() throws {
        let card = CompositeDescription(
            "Card",
            [
                AttributeDescription("holder", .string),
                AttributeDescription("number", .string, userInfo: ["howdah.sensitive": "true"]),
            ])
        let guide = try guide([
            EntityDescription(
                "Customer",
                properties: [
                    .attribute("name", .string), .attribute("card", .composite(card)),
                    .attribute(
                        AttributeDescription("open", .string, userInfo: ["howdah.sensitive": "false"])),
                    .relationship("orders", to: "Order", inverse: "customer", toMany: true),
                ]),
            EntityDescription(
                "Order", properties: [.relationship("customer", to: "Customer", inverse: "orders")]),
        ])
        #expect(
            guide.isSensitive("card", of: "Customer")
                && guide.isSensitive("customer.card.number", of: "Order"))
        #expect(
            !guide.isSensitive("customer.name", of: "Order") && !guide.isSensitive("open", of: "Customer"))
        #expect(!guide.isSensitive("nothing.card", of: "Order"))
        #expect(guide.sortPath("customer", of: "Order") == "customer.name")
        #expect(guide.sortPath("name", of: "Customer") == "name")
    }
}
