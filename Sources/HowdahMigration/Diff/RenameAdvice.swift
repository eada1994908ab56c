internal import HowdahModel

/// Finds what is probably the same under another name: pairs of something removed and something added.
///
/// Names decide: one has the words of the other and some more, or differs from it by a few letters. Types and the
/// likeness of what else is there only confirm it. Each side is in one pair at most, and there is none where two are as likely.
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
        return found
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
