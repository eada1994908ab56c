import HowdahModel

@testable import HowdahDiagram

/// Models that are hard to draw.
enum SampleModels {
    /// Everything a model can say, in six entities.
    static func everything() throws -> ManagedObjectModel {
        let place = CompositeDescription("Place", [.init("latitude", .double, optional: false)])
        let address = CompositeDescription(
            "Address", [.init("street", .string), .init("place", .composite(place), optional: false)])
        return try ManagedObjectModel(entities: [
            EntityDescription(
                "Person", abstract: true,
                properties: [
                    .attribute("name", .string, optional: false), .attribute("home", .composite(address)),
                    .attribute("label", .string, transient: true), .attribute("code", .integer32),
                    .relationship("boss", to: "Person", inverse: "reports"),
                    .relationship("reports", to: "Person", inverse: "boss", toMany: true, deleteRule: .deny),
                    .relationship("friends", to: "Person", inverse: "friends", toMany: true),
                ], uniquenessConstraints: [["name"], ["name", "code"]]),
            EntityDescription(
                "Writer", superentity: "Person",
                properties: [
                    .relationship(
                        "books", to: "Book", inverse: "author", toMany: true, ordered: true,
                        deleteRule: .cascade),
                    .relationship("edited", to: "Book", inverse: "editor", toMany: true),
                ]),
            EntityDescription(
                "Reader", superentity: "Person",
                properties: [
                    .relationship("reading", to: "Book", deleteRule: .noAction),
                    .relationship("shelf", to: "Book", toMany: true, minCount: 1, maxCount: 5),
                ], uniquenessConstraints: [["code"]]),
            EntityDescription(
                "Book",
                properties: [
                    .attribute("isbn", .uuid),
                    .relationship("author", to: "Writer", inverse: "books", optional: false),
                    .relationship("editor", to: "Writer", inverse: "edited"),
                ]),
            EntityDescription("Alone", properties: [.attribute("since", .date)]),
            EntityDescription("Empty"),
        ])
    }

    /// 72 entities with about 520 attributes and 84 relationships: a hub, a hierarchy eight deep, many small ones.
    static func large(seed: UInt64 = 1) throws -> ManagedObjectModel {
        var random = SplitMix64(seed: seed)
        var entities = (0..<72).map { EntityDescription("Entity number \($0)") }
        for number in 1..<9 { entities[number].superentity = entities[number - 1].name }
        for number in 9..<30 where number % 2 == 0 {
            entities[number].superentity = entities[number / 3].name
        }
        for number in entities.indices {
            for attribute in 0..<Int.random(in: 0...14, using: &random) {
                entities[number].properties.append(.attribute("attribute\(number)x\(attribute)", .string))
            }
        }
        for number in 0..<42 {
            let from = number < 16 ? 40 : Int.random(in: 0..<62, using: &random)
            let to = number < 16 ? 41 + number : Int.random(in: 0..<62, using: &random)
            join(from, to, "to\(number)", "from\(number)", &entities, &random)
        }
        return try ManagedObjectModel(entities: entities)
    }

    /// Up to 30 entities, sparse or dense, with names of every kind.
    static func random(seed: UInt64) throws -> ManagedObjectModel {
        var random = SplitMix64(seed: seed)
        let names = [
            "<&\">'", "日本語のエンティティ", "🐘", "e\u{301}tat", "class", "a b", String(repeating: "Wide", count: 18),
        ]
        var entities = (0..<Int.random(in: 1...30, using: &random)).map { number in
            EntityDescription(number % 4 == 0 ? "\(names[number / 4 % names.count])\(number)" : "E\(number)")
        }
        for number in entities.indices.dropFirst() where Int.random(in: 0..<4, using: &random) == 0 {
            entities[number].superentity = entities[Int.random(in: 0..<number, using: &random)].name
        }
        for number in 0..<Int.random(in: 0...(entities.count * 3), using: &random) {
            let from = Int.random(in: entities.indices, using: &random)
            let to = Int.random(in: entities.indices, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: entities[from].properties.append(.relationship("r\(number)", to: entities[to].name))
            case 1:
                entities[from].properties.append(
                    .relationship("s\(number)", to: entities[from].name, inverse: "s\(number)", toMany: true))
            case 2: entities[from].properties.append(.attribute("a\(number)", .decimal))
            default: join(from, to, "r\(number)", "<r>\(number)", &entities, &random)
            }
        }
        return try ManagedObjectModel(entities: entities)
    }

    private static func join(
        _ from: Int, _ to: Int, _ name: String, _ back: String, _ entities: inout [EntityDescription],
        _ random: inout SplitMix64
    ) {
        let toMany = Bool.random(using: &random)
        entities[from].properties.append(
            .relationship(
                name, to: entities[to].name, inverse: back, toMany: true,
                ordered: Bool.random(using: &random),
                deleteRule: .cascade))
        entities[to].properties.append(
            .relationship(back, to: entities[from].name, inverse: name, toMany: toMany))
    }
}
