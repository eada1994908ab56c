import Foundation
import HowdahModel

/// Chooses the values of what is unique, object by object, and changes links where values alone do not do.
struct UniquePlanner {
    private let objects: [SampleData.Object]
    private let entities: [String: EntitySampler]
    private let seed: UInt64
    private let rules: [UniqueRule]
    private let rulesByEntity: [String: [Int]]
    private(set) var links: [LinkSet]
    private(set) var values: [[String: Value]]
    private(set) var failed: [(object: Int, rule: UniqueRule)] = []
    /// Each rule's combinations that are in use.
    private var taken: [Set<[Value]>]
    /// Rules of attributes alone, all combinations of which are in use.
    private var exhausted: Set<Int> = []
    /// Where each object stands, on each side of each relationship.
    private let positions: [[[Int: Int]]]

    init(
        _ objects: [SampleData.Object], _ entities: [String: EntitySampler], _ rules: [UniqueRule],
        _ links: [LinkSet], seed: UInt64
    ) {
        self.objects = objects
        self.entities = entities
        self.rules = rules
        self.links = links
        self.seed = seed
        values = Array(repeating: [:], count: objects.count)
        taken = Array(repeating: [], count: rules.count)
        var byEntity: [String: [Int]] = [:]
        for (place, rule) in rules.enumerated() {
            for name in rule.scope { byEntity[name, default: []].append(place) }
        }
        rulesByEntity = byEntity
        var used: Set<Int> = []
        for rule in rules { used.formUnion(rule.toOnes.map(\.links)) }
        positions = links.enumerated().map { place, set in
            guard used.contains(place) else { return [] }
            return set.objects.map { side in
                Dictionary(side.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
            }
        }
    }

    mutating func run() {
        for object in objects.indices {
            let own = rulesByEntity[objects[object].entityName] ?? []
            if own.isEmpty { continue }
            for name in own.flatMap({ rules[$0].attributes }) { redraw(name, object, attempt: 0) }
            if let broken = settle(object, own) {
                failed.append((object, rules[broken]))
            } else {
                for rule in own { if let key = key(of: rules[rule], object) { taken[rule].insert(key) } }
            }
        }
    }

    /// Changes the object until no rule is broken; the rule that cannot be kept.
    private mutating func settle(_ object: Int, _ own: [Int]) -> Int? {
        for attempt in 1...200 {
            guard let broken = own.first(where: { isBroken($0, object) }) else { return nil }
            let rule = rules[broken]
            if attempt <= 30, !exhausted.contains(broken) {
                let count = rule.attributes.count
                if count > 0, attempt % 4 != 0 || rule.toOnes.isEmpty {
                    redraw(rule.attributes[attempt % count], object, attempt: attempt)
                } else {
                    relink(rule, object, attempt)
                }
                continue
            }
            if !exhausted.contains(broken) {
                if tryAll(rule, object, own) { return nil }
                if rule.toOnes.isEmpty, own.count == 1 { exhausted.insert(broken) }
            }
            // A nil differs from everything.
            if !leaveOut(rule, object) { return broken }
        }
        return own.first { isBroken($0, object) }
    }

    private func isBroken(_ rule: Int, _ object: Int) -> Bool {
        key(of: rules[rule], object).map { taken[rule].contains($0) } ?? false
    }

    /// What the rule compares; nil where one of it is nil.
    private func key(of rule: UniqueRule, _ object: Int) -> [Value]? {
        var key: [Value] = []
        for name in rule.attributes {
            let attribute = entities[objects[object].entityName]?.sampler(of: name)?.attribute
            guard (values[object][name] ?? .null).appendLeaves(of: attribute, to: &key) else { return nil }
        }
        for toOne in rule.toOnes {
            guard
                let position = positions[toOne.links][links[toOne.links].shape.isSymmetric ? 0 : toOne.side][
                    object],
                let partner = links[toOne.links].partners[toOne.side][position].first
            else { return nil }
            key.append(.int(Int64(partner)))
        }
        return key
    }

    // MARK: Changes

    private mutating func redraw(_ attribute: String, _ object: Int, attempt: Int) {
        let planned = objects[object]
        guard let sampler = entities[planned.entityName]?.sampler(of: attribute) else { return }
        values[object][attribute] = sampler.value(planned.number, seed: seed, attempt: attempt)
    }

    private mutating func relink(_ rule: UniqueRule, _ object: Int, _ attempt: Int) {
        guard !rule.toOnes.isEmpty else { return }
        let toOne = rule.toOnes[attempt % rule.toOnes.count]
        let choices = choices(toOne, object)
        guard let position = positions[toOne.links][0][object], !choices.isEmpty else { return }
        var random = SplitMix64(seed: seed, "relink", number: object &* 1_000 &+ attempt)
        links[toOne.links].move(position, to: random.pick(choices))
    }

    /// The partners that a to-one can be given instead.
    private func choices(_ toOne: (links: Int, side: Int), _ object: Int) -> [Int] {
        let set = links[toOne.links]
        guard toOne.side == 0, !set.shape.isSymmetric, let position = positions[toOne.links][0][object],
            !set.partners[0][position].isEmpty
        else { return [] }
        return set.objects[1].indices.filter { set.canMove(position, to: $0) }
    }

    /// Tries every combination, where they are not too many; the first that breaks no rule stays.
    private mutating func tryAll(_ rule: UniqueRule, _ object: Int, _ own: [Int]) -> Bool {
        let (before, linksBefore) = (values[object], links)
        let domains = rule.attributes.map { name in
            entities[objects[object].entityName]?.sampler(of: name)?.domain
                ?? [values[object][name] ?? .null]
        }
        let partners = rule.toOnes.map { choices($0, object) }
        let sizes = domains.map(\.count) + partners.map { max(1, $0.count) }
        let total = sizes.reduce(1) { $0.multipliedReportingOverflow(by: $1).overflow ? .max : $0 * $1 }
        guard total <= 4096 else { return false }
        for number in 0..<total {
            var rest = number
            for (place, name) in rule.attributes.enumerated() {
                values[object][name] = domains[place][rest % domains[place].count]
                rest /= domains[place].count
            }
            for (place, toOne) in rule.toOnes.enumerated() where !partners[place].isEmpty {
                if let position = positions[toOne.links][0][object] {
                    links[toOne.links].move(position, to: partners[place][rest % partners[place].count])
                }
                rest /= partners[place].count
            }
            if !own.contains(where: { isBroken($0, object) }) { return true }
        }
        (values[object], links) = (before, linksBefore)
        return false
    }

    private mutating func leaveOut(_ rule: UniqueRule, _ object: Int) -> Bool {
        for name in rule.attributes
        where entities[objects[object].entityName]?.sampler(of: name)?.attribute.isOptional == true {
            values[object][name] = .null
            return true
        }
        for toOne in rule.toOnes where toOne.side == 0 {
            guard let position = positions[toOne.links][0][object], links[toOne.links].canLeave(position),
                links[toOne.links].shape.sides[0].least == 0
            else { continue }
            links[toOne.links].move(position, to: nil)
            return true
        }
        return false
    }
}

extension Value {
    /// Adds the values of the columns, equal where PostgreSQL calls them equal; false where one is NULL.
    fileprivate func appendLeaves(of attribute: AttributeDescription?, to key: inout [Value]) -> Bool {
        switch self {
        case .null: return false
        case .composite(let values):
            let elements = attribute?.type.composite?.elements ?? []
            return zip(elements, values).allSatisfy { $1.appendLeaves(of: $0, to: &key) }
        case .string where attribute?.isCaseInsensitive ?? false: key.append(folded(.caseInsensitive))
        case .uri(let url): key.append(.string(url.absoluteString))
        default: key.append(isNotANumber ? .string("NaN") : self)
        }
        return true
    }
}
