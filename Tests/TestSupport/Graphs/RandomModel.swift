import Foundation
package import HowdahModel

/// Makes valid models with names and shapes that are as unfriendly as models may be.
package struct RandomModel {
    var random: SeededGenerator
    private var entities: [EntityDescription] = []
    private var usedProperties: [String: Set<String>] = [:]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    package static func make(seed: UInt64) throws -> ManagedObjectModel {
        var generator = RandomModel(seed: seed)
        return try generator.model()
    }

    private mutating func model() throws -> ManagedObjectModel {
        var names: Set<String> = []
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let name = fresh(&names)
            let superentity = !entities.isEmpty && random.chance(0.4) ? random.pick(entities).name : nil
            entities.append(
                EntityDescription(
                    name, abstract: random.chance(0.2), superentity: superentity,
                    renamingIdentifier: random.chance(0.2) ? "was " + name : nil))
        }
        for position in entities.indices {
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                let attribute = attribute(freshProperty(of: [entities[position].name]), depth: 0)
                entities[position].properties.append(.attribute(attribute))
            }
        }
        for _ in 0..<Int.random(in: 0...10, using: &random) { addRelationship() }
        for position in entities.indices where random.chance(0.5) { addUniqueness(at: position) }
        for position in entities.indices where random.chance(0.7) { addIndexes(at: position) }
        entities.shuffle(using: &random)
        return try ManagedObjectModel(entities: entities)
    }

    // MARK: Names

    private static let words = [
        "order", "user", "select", "Group", "ctid", "xmin", "_id", "_entity", "_version", "_howdah_store",
        "tableoid",
        "fooBar", "foo_bar", "FooBar", "foo bar", "a\"b", "it's", "back\\slash", "semi;colon", "--", "Straße",
        "日本",
        "🐘", "e\u{301}tat", "İstanbul", "x", "URLString", "%K", "$1", "a", "b", "#entity", "link_entity",
        "link_order",
        String(repeating: "Long", count: 18) + "End", String(repeating: "é", count: 40), "link", "to", "of",
    ]

    private mutating func name() -> String {
        let word = random.pick(Self.words)
        return random.chance(0.3) ? word + random.pick(Self.words) : word
    }

    private mutating func fresh(_ taken: inout Set<String>) -> String {
        while true {
            let candidate = name()
            if taken.insert(candidate).inserted { return candidate }
        }
    }

    /// Free in the whole hierarchies of `owners`, which is more than is asked but simple.
    private mutating func freshProperty(of owners: [String]) -> String {
        let roots = Set(owners.map(root))
        while true {
            let candidate = name()
            guard !candidate.hasPrefix("$"), !candidate.contains("."),
                roots.allSatisfy({ !(usedProperties[$0]?.contains(candidate) ?? false) })
            else { continue }
            for root in roots { usedProperties[root, default: []].insert(candidate) }
            return candidate
        }
    }

    private func root(_ entity: String) -> String {
        var current = entity
        while let next = entities.first(where: { $0.name == current })?.superentity { current = next }
        return current
    }

    // MARK: Properties

    private mutating func attribute(_ name: String, depth: Int) -> AttributeDescription {
        if depth < 3, random.chance(0.2) {
            var names: Set<String> = []
            let elements = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                var element = fresh(&names)
                while element.hasPrefix("$") || element.contains(".") { element = fresh(&names) }
                return self.attribute(element, depth: depth + 1)
            }
            // A transient element alone would leave nothing to store.
            let anchor = AttributeDescription("anchor", .integer64, optional: random.chance(0.5))
            return AttributeDescription(
                name, .composite(CompositeDescription("Composite", elements + [anchor])),
                optional: random.chance(0.6))
        }
        let (type, values) = random.pick(Self.types)
        var result = AttributeDescription(
            name, type, optional: random.chance(0.5), transient: type == .undefined || random.chance(0.1))
        if let value = values.first, random.chance(0.4) { result.defaultValue = value }
        if values.count == 3, random.chance(0.5) { result.minimum = values[1] }
        if values.count == 3, random.chance(0.5) { result.maximum = values[2] }
        if type == .string, random.chance(0.4) { (result.minimumLength, result.maximumLength) = (0, 300) }
        if type == .string, random.chance(0.3) { result.regex = "[^\\dx]*(\\s|é|🐘|.)?" }
        if type == .uuid || type == .date, random.chance(0.3) { result.allowedValues = values }
        if type == .transformable, random.chance(0.5) { result.userInfo[MappingKey.jsonb] = "true" }
        return result
    }

    /// A default, then a minimum and a maximum where the type has them.
    private static let types: [(AttributeType, [Value])] = [
        (.undefined, []), (.integer16, [-1, -32_768, 32_767]), (.integer32, [0, -5, 5]),
        (.integer64, [.int(.min), .int(.min), .int(.max)]),
        (.decimal, [.decimal(1), .decimal(-1), .decimal(Decimal(string: "123456789012345678.5") ?? 9)]),
        (.double, [.double(-0.0), .double(-.infinity), .double(1e300)]),
        (.float, [.float(0.1), .float(0), .float(1)]),
        (.string, [.string("it's a \"de\\fault\"\n")]), (.boolean, [true]),
        (.date, [.date(.init(timeIntervalSince1970: -1.5)), .date(.distantPast), .date(.distantFuture)]),
        (.binary, [.data(Data([0, 1, 255]))]), (.uuid, [.uuid(UUID())]),
        (.uri, [.uri(URL(fileURLWithPath: "/a'b"))]), (.transformable, []),
    ]

    private mutating func addRelationship() {
        let (a, b) = (random.pick(entities).name, random.pick(entities).name)
        let rules: [DeleteRule] = [.nullify, .cascade, .deny, .noAction]
        func side(
            _ name: String, to destination: String, inverse: String?, toMany: Bool,
            _ random: inout SeededGenerator
        ) -> PropertyDescription {
            .relationship(
                name, to: destination, inverse: inverse, toMany: toMany,
                ordered: toMany && random.chance(0.4),
                optional: random.chance(0.6), deleteRule: random.pick(rules))
        }
        let name = freshProperty(of: [a, b])
        let toMany = random.chance(0.5)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<2: append(side(name, to: b, inverse: nil, toMany: toMany, &random), to: a)
        case 2: append(side(name, to: a, inverse: name, toMany: toMany, &random), to: a)
        default:
            let back = freshProperty(of: [a, b])
            append(side(name, to: b, inverse: back, toMany: toMany, &random), to: a)
            append(side(back, to: a, inverse: name, toMany: random.chance(0.5), &random), to: b)
        }
    }

    private mutating func append(_ property: PropertyDescription, to entity: String) {
        guard let position = entities.firstIndex(where: { $0.name == entity }) else { return }
        entities[position].properties.append(property)
    }

    private mutating func addUniqueness(at position: Int) {
        var candidates = storedAttributes(at: position).map(\.name)
        candidates.shuffle(using: &random)
        let members = Array(candidates.prefix(Int.random(in: 1...3, using: &random)))
        if !members.isEmpty { entities[position].uniquenessConstraints.append(members) }
        // Some of them need another order than the rule has.
        if !members.isEmpty, random.chance(0.3) { addIndex(on: members, at: position, .btree) }
    }

    private mutating func addIndexes(at position: Int) {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let method = random.pick([FetchIndexDescription.Method.btree, .btree, .brin, .hash, .gist])
            var candidates = storedAttributes(at: position)
                .filter { $0.type.composite == nil && $0.type != .transformable }
                .filter { method != .brin || $0.type != .boolean }.map(\.name)
            candidates.shuffle(using: &random)
            let count = method == .hash ? 1 : Int.random(in: 1...4, using: &random)
            addIndex(on: Array(candidates.prefix(count)), at: position, method)
        }
    }

    private mutating func addIndex(
        on members: [String], at position: Int, _ method: FetchIndexDescription.Method
    ) {
        let attributes = storedAttributes(at: position).filter { members.contains($0.name) }
        let isPlain = attributes.allSatisfy { $0.type.composite == nil && $0.type != .transformable }
        guard !members.isEmpty, isPlain else { return }
        let elements = members.map { FetchIndexElement($0, ascending: random.chance(0.6)) }
        let name = "index \(entities[position].fetchIndexes.count)"
        entities[position].fetchIndexes.append(
            FetchIndexDescription(
                name, elements: elements, partialIndexPredicate: random.chance(0.2) ? "TRUEPREDICATE" : nil,
                method: method))
    }

    private func storedAttributes(at position: Int) -> [AttributeDescription] {
        var candidates: [AttributeDescription] = []
        var current: EntityDescription? = entities[position]
        while let entity = current {
            candidates += entity.properties.compactMap(\.attribute).filter(\.isStored)
            current = entities.first { $0.name == entity.superentity }
        }
        return candidates
    }
}
