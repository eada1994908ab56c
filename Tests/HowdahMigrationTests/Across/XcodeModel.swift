import Foundation
import HowdahModel
import SeededRandom

/// A model as people draw it in Xcode, which grows by versions and may have what Core Data puts up with.
struct XcodeModel: Sendable {
    var random: SeededGenerator
    var entities: [EntityDescription] = []
    /// What happened to the model, for a failure's message.
    var steps: [String] = []
    private var number = 0

    /// Makes a first version.
    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        for _ in 0..<Int.random(in: 2...4, using: &random) { attempt("entity") { $0.addEntity() } }
        for _ in 0..<Int.random(in: 1...4, using: &random) { attempt("subentity") { $0.addSubentity() } }
        for _ in 0..<Int.random(in: 4...10, using: &random) { attempt("attribute") { $0.addAttribute() } }
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            attempt("relationship") { $0.addRelationship() }
        }
        for _ in 0..<Int.random(in: 0...2, using: &random) { attempt("index") { $0.addIndex() } }
        for _ in 0..<Int.random(in: 0...1, using: &random) { attempt("uniqueness") { $0.addUniqueness() } }
        steps = []
    }

    func model() throws -> ManagedObjectModel { try ManagedObjectModel(entities: entities) }

    /// Does something that leaves a valid model, or nothing.
    @discardableResult
    mutating func attempt(_ name: String, _ body: (inout XcodeModel) -> String?) -> Bool {
        var copy = self
        guard let what = body(&copy), let model = try? copy.model(), Self.canBeFilled(model) else {
            // The next try is another one.
            random = copy.random
            return false
        }
        self = copy
        steps.append("\(name) \(what)")
        return true
    }

    /// Indicates whether there can be an object at the other end of all required relationships.
    private static func canBeFilled(_ model: ManagedObjectModel) -> Bool {
        model.entities.flatMap(\.properties).compactMap(\.relationship).allSatisfy { relationship in
            relationship.isOptional
                || model.descendants(of: relationship.destination).contains { !$0.isAbstract }
        }
    }

    // MARK: Names

    /// Words of SQL, of Core Data in another spelling, and of the language are names like others.
    private static let nouns = [
        "order", "user", "group", "objectid", "ObjectId", "entity", "type", "name", "title", "value", "index",
        "select", "isDeleted", "hasChanges", "managedObject", "uuid", "createdAt", "URL", "self_", "desc",
        "default", "check", "tableoid", "ctid", "größe", "x",
    ]

    mutating func name() -> String {
        number += 1
        return random.pick(Self.nouns) + "\(number)"
    }

    mutating func entityName() -> String {
        let name = name()
        return name.prefix(1).uppercased() + name.dropFirst()
    }

    // MARK: Places

    func position(of entity: String) -> Int? { entities.firstIndex { $0.name == entity } }

    func children(of entity: String) -> [EntityDescription] { entities.filter { $0.superentity == entity } }

    mutating func pickEntity(where isFit: (EntityDescription) -> Bool = { _ in true }) -> Int? {
        let found = entities.indices.filter { isFit(entities[$0]) }
        return found.isEmpty ? nil : random.pick(found)
    }

    mutating func pickProperty(
        where isFit: (PropertyDescription, EntityDescription) -> Bool
    ) -> (entity: Int, property: Int)? {
        let found = entities.indices.flatMap { entity in
            entities[entity].properties.indices.filter {
                isFit(entities[entity].properties[$0], entities[entity])
            }.map { (entity, $0) }
        }
        return found.isEmpty ? nil : random.pick(found)
    }

    func place(_ place: (entity: Int, property: Int)) -> String {
        "\(entities[place.entity].name).\(entities[place.entity].properties[place.property].name)"
    }

    // MARK: Parts

    mutating func addEntity() -> String? {
        let name = entityName()
        entities.append(
            EntityDescription(
                name, abstract: random.chance(15), properties: [.attribute(self.name(), .string)]))
        return name
    }

    mutating func addSubentity() -> String? {
        guard let parent = pickEntity() else { return nil }
        let name = entityName()
        let property = attribute()
        entities.append(
            EntityDescription(
                name, superentity: entities[parent].name,
                properties: [property].filter { _ in random.chance(60) }))
        return "\(name) of \(entities[parent].name)"
    }

    mutating func addAttribute() -> String? {
        guard let entity = pickEntity() else { return nil }
        let attribute = attribute()
        entities[entity].properties.append(attribute)
        return "\(entities[entity].name).\(attribute.name)"
    }

    private static let types: [(AttributeType, Value)] = [
        (.integer16, 3), (.integer32, -7), (.integer64, 9), (.decimal, .decimal(5)), (.double, .double(0.5)),
        (.float, .float(0.25)), (.string, "text"), (.boolean, true),
        (.date, .date(.init(timeIntervalSinceReferenceDate: 86_400))), (.binary, .null),
        (.uuid, .null), (.uri, .null), (.transformable, .null),
    ]

    private mutating func attribute() -> PropertyDescription {
        let (type, value) = random.pick(Self.types)
        let isOptional = random.chance(60)
        let hasDefault = !value.isNull && random.chance(isOptional ? 20 : 60)
        return .attribute(name(), type, optional: isOptional, default: hasDefault ? value : nil)
    }

    mutating func addRelationship(required: Bool = true) -> String? {
        guard let from = pickEntity(), let to = pickEntity() else { return nil }
        let (name, back) = (name(), self.name())
        let toMany = random.chance(45)
        let hasInverse = random.chance(80)
        let rules: [DeleteRule] = [.nullify, .nullify, .cascade, .deny]
        entities[from].properties.append(
            .relationship(
                name, to: entities[to].name, inverse: hasInverse ? back : nil, toMany: toMany,
                ordered: toMany && random.chance(30), optional: toMany || !required || random.chance(70),
                deleteRule: random.pick(rules)))
        if hasInverse {
            let backToMany = random.chance(40)
            entities[to].properties.append(
                .relationship(
                    back, to: entities[from].name, inverse: name, toMany: backToMany,
                    ordered: backToMany && random.chance(30), deleteRule: random.pick(rules)))
        }
        return "\(entities[from].name).\(name) to \(entities[to].name)" + (hasInverse ? ".\(back)" : "")
    }

    mutating func addIndex() -> String? {
        guard
            let found = pickProperty(where: { property, _ in
                property.attribute.map { $0.isStored && $0.type != .transformable } ?? false
            })
        else { return nil }
        let property = entities[found.entity].properties[found.property].name
        entities[found.entity].fetchIndexes.append(
            FetchIndexDescription(
                "by\(property)", elements: [FetchIndexElement(property, ascending: random.chance(70))]))
        return place(found)
    }

    mutating func addUniqueness() -> String? {
        guard
            let found = pickProperty(where: { property, _ in
                property.attribute.map { [.string, .integer32, .uuid, .date].contains($0.type) } ?? false
            })
        else { return nil }
        let property = entities[found.entity].properties[found.property].name
        entities[found.entity].uniquenessConstraints.append([property])
        return place(found)
    }
}
