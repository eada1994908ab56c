import HowdahModel

/// Decides the objects and links of a graph. Where a rule cannot be kept, it begins again with fewer objects.
struct GraphPlanner {
    private let model: ManagedObjectModel
    private let seed: UInt64
    private let count: Int
    private let shapes: [RelationshipSides]
    private let rules: [UniqueRule]
    let entities: [String: EntitySampler]
    private let names: [String]
    private var counts: [String: Int]
    private var reasons: [String: String] = [:]
    private var remarks: [SampleData.Gap] = []

    private(set) var objects: [SampleData.Object] = []
    private(set) var uniqueValues: [[String: Value]] = []

    init(model: ManagedObjectModel, seed: UInt64, count: Int) {
        self.model = model
        self.seed = seed
        self.count = count
        var shapes = RelationshipSides.all(in: model)
        rules = UniqueRule.all(in: model, shapes)
        for rule in rules where rule.attributes.isEmpty && rule.toOnes.count == 1 {
            // Unique alone: each destination once.
            let (place, side) = rule.toOnes[0]
            let opposite = shapes[place].opposite(side)
            shapes[place].sides[opposite].most = min(shapes[place].sides[opposite].most, 1)
        }
        self.shapes = shapes
        let concrete = model.entities.filter { !$0.isAbstract }
        entities = Dictionary(
            concrete.map { ($0.name, EntitySampler($0, of: model)) }, uniquingKeysWith: { first, _ in first })
        names = concrete.map(\.name).sorted()
        counts = Dictionary(names.map { ($0, count) }, uniquingKeysWith: { first, _ in first })
    }

    var gaps: [SampleData.Gap] {
        remarks
            + names.compactMap { name in
                reasons[name].map {
                    SampleData.Gap(entityName: name, wanted: count, made: counts[name] ?? 0, reason: $0)
                }
            }
    }

    mutating func run() {
        leaveOutImpossible()
        while true {
            makeObjects()
            var links = shapes.indices.map { place in
                var random = SplitMix64(
                    seed: seed, "links", shapes[place].sides[0].name, shapes[place].sides[1].name)
                return LinkSet(shapes[place], members(of: shapes[place]), &random)
            }
            if reduce(links) { continue }
            var unique = UniquePlanner(objects, entities, rules, links, seed: seed)
            unique.run()
            if reduce(unique.failed.map { (objects[$0.object].entityName, $0.rule.reason) }) { continue }
            links = unique.links
            uniqueValues = unique.values
            addLinks(links)
            return
        }
    }

    private mutating func leaveOutImpossible() {
        for name in names {
            for sampler in entities[name]?.attributes ?? [] where !sampler.hasValue {
                let reason = "no generated value meets the rules of \(name).\(sampler.attribute.name)"
                if sampler.isPossible {
                    remarks.append(
                        SampleData.Gap(
                            entityName: name, wanted: count, made: count,
                            reason: reason + ", so that this attribute is nil"))
                } else {
                    (counts[name], reasons[name]) = (0, reason)
                }
            }
        }
    }

    /// All first objects, then all second ones: where there is room for some only, each entity gets its share.
    private mutating func makeObjects() {
        objects = (0..<(counts.values.max() ?? 0)).flatMap { number in
            names.filter { number < counts[$0] ?? 0 }.map {
                SampleData.Object(entityName: $0, number: number)
            }
        }
    }

    private func members(of shape: RelationshipSides) -> [[Int]] {
        shape.sides.map { side in objects.indices.filter { side.members.contains(objects[$0].entityName) } }
    }

    // MARK: Fewer objects

    private mutating func reduce(_ links: [LinkSet]) -> Bool {
        // One relationship at a time: fewer objects of one entity may be what another one needs.
        for set in links where !set.failed.isEmpty {
            return reduce(
                set.failed.map { side, position in
                    let description = set.shape.sides[side]
                    return (
                        objects[set.objects[side][position]].entityName,
                        "\(description.name) needs at least \(description.least) "
                            + "\(description.least == 1 ? "member" : "members"), and there are not enough objects"
                    )
                })
        }
        return false
    }

    private mutating func reduce(_ failed: [(entity: String, reason: String)]) -> Bool {
        for (entity, reason) in failed {
            counts[entity, default: 0] -= 1
            reasons[entity] = reasons[entity] ?? reason
        }
        return !failed.isEmpty
    }

    // MARK: Links

    private mutating func addLinks(_ links: [LinkSet]) {
        var found: [[String: [Int]]] = Array(repeating: [:], count: objects.count)
        for set in links {
            for side in set.objects.indices {
                guard let relationship = set.shape.sides[side].relationship else { continue }
                let others = set.objects[set.shape.opposite(side)]
                for (position, partners) in set.partners[side].enumerated() where !partners.isEmpty {
                    found[set.objects[side][position]][relationship.name] = partners.map { others[$0] }
                }
            }
        }
        let order = Dictionary(
            names.map { ($0, model.properties(of: $0).compactMap { $0.relationship?.name }) },
            uniquingKeysWith: { first, _ in first })
        for object in objects.indices where !found[object].isEmpty {
            objects[object].links = (order[objects[object].entityName] ?? []).compactMap { name in
                found[object][name].map { SampleData.Link(relationship: name, members: $0) }
            }
        }
    }
}
