public import HowdahModel
@_exported public import SeededRandom

/// A random model of a few entities whose relationships have bounds, orders, ways back and derived attributes.
public struct RandomGraph: Sendable {
    /// The model.
    public let model: ManagedObjectModel
    /// What a save may break, for reports.
    public var summary: String {
        model.entities.map { entity in
            "\(entity.name): " + Self.relationships(entity).map(Self.text).joined(separator: ", ")
        }.joined(separator: "\n")
    }

    /// Creates the graph of a seed, if wanted with relationships that have no inverse.
    public init(seed: UInt64, hasOneWay: Bool = false) throws {
        var random = SeededGenerator(seed: seed)
        // Some combinations are refused, a required relationship that another deletion empties for example.
        var last: (any Error)?
        for _ in 0..<50 {
            do {
                model = try ManagedObjectModel(entities: Self.entities(&random, hasOneWay: hasOneWay))
                return
            } catch {
                last = error
            }
        }
        throw last ?? CancellationError()
    }

    /// Creates the graph of a model that another process made.
    public init(model: ManagedObjectModel) { self.model = model }

    /// Returns the relationships of an entity.
    static func relationships(_ entity: EntityDescription) -> [RelationshipDescription] {
        entity.properties.compactMap {
            if case .relationship(let relationship) = $0.kind { relationship } else { nil }
        }
    }

    private static func text(_ relationship: RelationshipDescription) -> String {
        "\(relationship.name) to \(relationship.isToMany ? "many" : "one") \(relationship.destination)"
            + (relationship.isOrdered ? " ordered" : "") + (relationship.isOptional ? "" : " required")
            + " from \(relationship.minCount) \(relationship.deleteRule.rawValue)"
    }

    private static func entities(_ random: inout SeededGenerator, hasOneWay: Bool) -> [EntityDescription] {
        let names = ["Ash", "Birch", "Cedar"].prefix(Int.random(in: 2...3, using: &random))
        var properties = [String: [PropertyDescription]]()
        for name in names {
            properties[name] = [
                .attribute("number", .integer64, optional: false, default: .int(0)),
                .attribute("text", .string), .attribute("code", .string),
            ]
        }
        for index in 0..<Int.random(in: 3...5, using: &random) {
            let (one, two) = (random.pick(Array(names)), random.pick(Array(names)))
            let (forth, back) = ("forth\(index)", "back\(index)")
            let isManyForth = !random.chance(15)
            let isManyBack = isManyForth && random.chance(30)
            properties[one, default: []] += end(forth, two, back, isManyForth, &random)
            properties[two, default: []] += end(back, one, forth, isManyBack, &random)
        }
        for index in 0..<(hasOneWay ? 3 : 0) {
            let isToMany = index < 2
            properties[random.pick(Array(names)), default: []] += [
                .relationship(
                    "only\(index)", to: random.pick(Array(names)), toMany: isToMany,
                    ordered: isToMany && random.chance(35),
                    deleteRule: random.pick([.nullify, .nullify, .cascade, .deny]))
            ]
        }
        return names.map { name in
            EntityDescription(
                name, properties: properties[name] ?? [],
                uniquenessConstraints: random.chance(40) ? [["code"]] : [])
        }
    }

    /// One end of a relationship, and what is derived from its members.
    private static func end(
        _ name: String, _ destination: String, _ inverse: String, _ isToMany: Bool,
        _ random: inout SeededGenerator
    ) -> [PropertyDescription] {
        let least = isToMany ? random.pick([0, 0, 0, 1, 1, 2]) : 0
        var result: [PropertyDescription] = [
            .relationship(
                name, to: destination, inverse: inverse, toMany: isToMany,
                ordered: isToMany && random.chance(35), optional: isToMany ? least == 0 : !random.chance(15),
                minCount: least, deleteRule: random.pick([.nullify, .nullify, .nullify, .cascade, .deny]))
        ]
        guard isToMany else { return result }
        if random.chance(50) {
            result.append(
                .attribute("\(name)Count", .integer64, optional: false, derivation: "\(name).@count"))
        }
        if random.chance(30) {
            result.append(
                .attribute("\(name)Sum", .integer64, optional: false, derivation: "\(name).@sum.number"))
        }
        return result
    }
}
