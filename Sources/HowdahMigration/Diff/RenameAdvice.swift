internal import HowdahModel

/// Finds what is probably the same under another name: pairs of something removed and something added.
///
/// Names decide: one has the words of the other and some more, or differs from it by a few letters. Types and the
/// likeness of what else is there only confirm it. Each side is in one pair at most, and there is none where two are as likely.
///
/// Properties that differ by the same words are siblings, and are renamed together: startDate and endDate to startTime and endTime.
struct RenameAdvice {
    /// Something that was removed or added.
    enum Part {
        case property(PropertyDescription)
        case entity(EntityDescription)
    }

    /// The least score of a pair, and the least distance to the next one.
    private static let least = 0.62
    private static let margin = 0.12
    /// The bonus of a pair without rivals.
    private static let alone = 0.1

    /// The removed part's position for each added one's.
    static func pairs(removed: [Part], added: [Part]) -> [Int: Int] {
        let scores = removed.map { old in added.map { score(old, $0) } }
        var found: [Int: Int] = [:]
        for (old, row) in scores.enumerated() {
            for (new, score) in row.enumerated() where score > 0 {
                let rivals =
                    row.enumerated().filter { $0.offset != new }.map(\.element)
                    + scores.enumerated().filter { $0.offset != old }.map { $0.element[new] }
                guard score + (rivals.allSatisfy { $0 == 0 } ? alone : 0) >= least else { continue }
                if rivals.allSatisfy({ $0 <= score - margin }) { found[new] = old }
            }
        }
        return found.merging(siblings(removed, added, besides: found)) { known, _ in known }
    }

    /// A word or more in the place of others; what is before and behind them is the same.
    private struct Replacement: Hashable {
        let old: [String]
        let new: [String]
        let isAtEnd: Bool

        /// Nil if the names have no word in common at their ends.
        init?(_ old: String, _ new: String) {
            let (a, b) = (NameLikeness.words(of: old), NameLikeness.words(of: new))
            let before = zip(a, b).prefix { $0 == $1 }.count
            let behind = zip(a.dropFirst(before).reversed(), b.dropFirst(before).reversed())
                .prefix { $0 == $1 }.count
            guard before + behind > 0, !NameOpposition.isBetween(a, b) else { return nil }
            self.old = Array(a.dropFirst(before).dropLast(behind))
            self.new = Array(b.dropFirst(before).dropLast(behind))
            isAtEnd = behind == 0
        }
    }

    /// The pairs that differ as at least one other does, where nothing else differs so.
    private static func siblings(_ removed: [Part], _ added: [Part], besides found: [Int: Int]) -> [Int: Int]
    {
        var alike: [Replacement: [(old: Int, new: Int)]] = [:]
        for (old, part) in removed.enumerated() {
            for (new, other) in added.enumerated() {
                guard case .property(let a) = part, case .property(let b) = other, likeness(a, b) > 0,
                    let replacement = Replacement(a.name, b.name)
                else { continue }
                alike[replacement, default: []].append((old, new))
            }
        }
        var pairs: [Int: Int] = [:]
        var isTaken = Set(found.values)
        let groups = alike.values.filter { $0.count > 1 }.sorted {
            ($1.count, $0[0].old, $0[0].new) < ($0.count, $1[0].old, $1[0].new)
        }
        for group in groups {
            let isPlain =
                Set(group.map(\.old)).count == group.count && Set(group.map(\.new)).count == group.count
            guard isPlain, group.allSatisfy({ found[$0.new] == nil || found[$0.new] == $0.old }) else {
                continue
            }
            for pair in group where found[pair.new] == nil && pairs[pair.new] == nil {
                if isTaken.insert(pair.old).inserted { pairs[pair.new] = pair.old }
            }
        }
        return pairs
    }

    private static func score(_ old: Part, _ new: Part) -> Double {
        switch (old, new) {
        case (.property(let old), .property(let new)):
            let likeness = likeness(old, new)
            return likeness == 0 ? 0 : NameLikeness.of(old.name, new.name) * 0.8 + likeness * 0.2
        case (.entity(let old), .entity(let new)):
            let (a, b) = (Set(old.properties.map(\.name)), Set(new.properties.map(\.name)))
            if a.isEmpty || b.isEmpty { return NameLikeness.of(old.name, new.name) * 0.75 }
            let common = Double(a.intersection(b).count) / Double(a.union(b).count)
            // Most of the properties are there, whatever the name.
            if a.count > 1, common >= 0.5 { return 0.62 + common * 0.38 }
            return common == 0 ? 0 : NameLikeness.of(old.name, new.name) * 0.7 + common * 0.3
        default: return 0
        }
    }

    /// The likeness of the values that two properties store; 0 if one cannot have those of the other.
    private static func likeness(_ old: PropertyDescription, _ new: PropertyDescription) -> Double {
        switch (old.kind, new.kind) {
        case (.attribute(let a), .attribute(let b)):
            guard a.isStored, b.isStored, a.derivationExpression == nil, b.derivationExpression == nil else {
                return 0
            }
            if a.type != b.type { return 0 }
            return a.isOptional == b.isOptional && a.defaultValue == b.defaultValue ? 1 : 0.8
        case (.relationship(let a), .relationship(let b)):
            guard !a.isTransient, !b.isTransient, a.destination == b.destination else { return 0 }
            return a.isToMany == b.isToMany ? 1 : 0.5
        default: return 0
        }
    }
}
