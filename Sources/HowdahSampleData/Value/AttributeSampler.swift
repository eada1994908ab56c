import Foundation
import HowdahModel

/// Gives one attribute of one entity its values: a function of the seed and the object's number.
struct AttributeSampler: Sendable {
    let attribute: AttributeDescription
    private let path: [String]
    private let rule: AttributeRule
    private let source: ValueSource
    /// The edges that the rules allow.
    private let edges: [Value]
    /// Of a composite, one each.
    private let elements: [AttributeSampler]

    init(_ attribute: AttributeDescription, path: [String], isIndexed: Bool) {
        self.attribute = attribute
        self.path = path
        let rule = AttributeRule(attribute)
        self.rule = rule
        source = ValueSource(attribute, pattern: rule.pattern, isIndexed: isIndexed)
        elements = (attribute.type.composite?.elements ?? []).map {
            AttributeSampler($0, path: path + [$0.name], isIndexed: isIndexed)
        }
        guard elements.isEmpty else {
            edges = []
            return
        }
        var edges: [Value] = []
        for edge in source.edges.map(\.normalized)
        where rule.allows(edge) && !edges.contains(where: { $0.isIdentical(to: edge) }) {
            edges.append(edge)
        }
        if edges.isEmpty {
            var random = SplitMix64(seed: 0, attribute.name)
            edges = Self.drawn(source, rule, &random).map { [$0] } ?? []
        }
        self.edges = edges
    }

    /// Whether there is a value besides nil.
    var hasValue: Bool {
        if elements.isEmpty { return !edges.isEmpty }
        return elements.contains { $0.attribute.isStored && $0.hasValue }
            && elements.allSatisfy { $0.hasValue || $0.attribute.isOptional || !$0.attribute.isStored }
    }

    /// Whether an object of the entity can be saved at all.
    var isPossible: Bool { hasValue || attribute.isOptional }

    /// All values, where they are few enough to be tried one by one.
    var domain: [Value]? {
        if !attribute.allowedValues.isEmpty || attribute.type == .boolean { return edges }
        guard case .int(let low)? = attribute.minimum, case .int(let high)? = attribute.maximum, low <= high,
            UInt64(bitPattern: high &- low) < 4096
        else { return nil }
        return (low...high).map(Value.int).filter { rule.allows($0) }
    }

    /// Every second object gets an edge, in turn; the others something ordinary.
    ///
    /// - Parameter attempt: from 1 on something ordinary for all, and another one for each attempt.
    func value(_ number: Int, seed: UInt64, attempt: Int = 0, allowsNil: Bool = true) -> Value {
        var random = SplitMix64(
            seed: seed, path.joined(separator: "."), number: number &+ attempt &* 1_000_003)
        let isNilAllowed = allowsNil && attribute.isOptional || !hasValue
        if !elements.isEmpty { return composite(number, seed, attempt, isNilAllowed, &random) }
        if attempt == 0, number % 2 == 0 {
            let count = edges.count + (isNilAllowed ? 1 : 0)
            var start = SplitMix64(seed: seed, path.joined(separator: "."))
            let place = (start.below(max(count, 1)) + number / 2) % max(count, 1)
            return place < edges.count ? edges[place] : .null
        }
        if isNilAllowed, !hasValue || random.chance(1, in: 8) { return .null }
        return Self.drawn(source, rule, &random) ?? random.pick(edges)
    }

    private func composite(
        _ number: Int, _ seed: UInt64, _ attempt: Int, _ isNilAllowed: Bool, _ random: inout SplitMix64
    ) -> Value {
        if isNilAllowed, !hasValue || random.chance(1, in: 4) { return .null }
        var values = elements.map { element in
            element.attribute.isStored ? element.value(number, seed: seed, attempt: attempt) : .null
        }
        // A composite without a single value would be nil.
        if !isNilAllowed, values.allSatisfy(\.isNull),
            let place = elements.firstIndex(where: { $0.attribute.isStored && $0.hasValue })
        {
            values[place] = elements[place].value(number, seed: seed, attempt: attempt, allowsNil: false)
        }
        return values.allSatisfy(\.isNull) ? .null : .composite(values)
    }

    private static func drawn(
        _ source: ValueSource, _ rule: AttributeRule, _ random: inout SplitMix64
    ) -> Value? {
        for _ in 0..<50 {
            guard let value = source.draw(&random)?.normalized else { return nil }
            if rule.allows(value) { return value }
        }
        return nil
    }
}
