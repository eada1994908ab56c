import Howdah

/// Objects and links by name, and what delete rules make of them: the meaning of the rules in thirty lines, without
/// columns, statements or contexts.
struct RuleGraph: Equatable {
    struct Link: Hashable, Comparable {
        let owner: String
        let item: String

        init(_ owner: String, _ item: String) { (self.owner, self.item) = (owner, item) }

        static func < (a: Self, b: Self) -> Bool { (a.owner, a.item) < (b.owner, b.item) }
    }

    /// What comes of a deletion.
    enum Outcome: Equatable {
        case graph(RuleGraph)
        /// Nothing is deleted: `isOwner` tells whose relationship stands against it.
        case denied
        case missing(isOwner: Bool)
    }

    /// Who deletes.
    enum Keeper {
        /// A save, or the database with triggers: every rule is kept.
        case all
        /// The foreign keys alone.
        case foreignKeys
    }

    var objects: Set<String>
    var links: Set<Link>

    init(objects: some Sequence<String>, links: Set<Link>) {
        (self.objects, self.links) = (Set(objects), links)
    }

    init(_ shape: RuleShape) { self.init(objects: shape.objects, links: shape.links) }

    static func outcome(
        of victim: String, _ shape: RuleShape, _ rule: DeleteRule, keptBy keeper: Keeper
    ) -> Outcome {
        // A rule leads from an object that goes to the other end; each link has one in each direction.
        let own = keeper == .all ? rule : ruleOfForeignKeys(shape, rule)
        let back: DeleteRule? = shape.isSelfInverse ? own : shape.hasInverse ? .nullify : nil
        let start = RuleGraph(shape)
        var gone: Set<String> = [victim]
        var isComplete = false
        while !isComplete {
            let before = gone
            for link in start.links {
                if own == .cascade, gone.contains(link.owner) { gone.insert(link.item) }
                if back == .cascade, gone.contains(link.item) { gone.insert(link.owner) }
            }
            isComplete = gone == before
        }
        var left = RuleGraph(objects: start.objects.subtracting(gone), links: [])
        for link in start.links {
            switch (gone.contains(link.owner), gone.contains(link.item)) {
            case (false, false): left.links.insert(link)
            case (true, true): break
            case (true, false):
                if own == .deny { return .denied }
                if own == .noAction {
                    // A link that the rule leaves dangles where it is in a row of its own or the survivor's.
                    let dangles = shape.place == .item || shape.place == .table && keeper == .foreignKeys
                    if dangles { left.links.insert(link) }
                } else if shape.itemRequires {
                    return .missing(isOwner: false)
                }
            case (false, true):
                if back == .deny { return .denied }
                let isLeft = (back ?? (rule == .noAction ? .noAction : .nullify)) == .noAction
                if isLeft, shape.place == .owner || shape.isSelfInverse && keeper == .foreignKeys {
                    left.links.insert(link)
                } else if shape.ownerRequires {
                    return .missing(isOwner: true)
                }
            }
        }
        return .graph(left)
    }

    /// A foreign key acts when the row that it leads to goes: of what the row leads to itself, or of what links lead to,
    /// it knows nothing.
    private static func ruleOfForeignKeys(_ shape: RuleShape, _ rule: DeleteRule) -> DeleteRule {
        switch (shape.place, rule) {
        case (.owner, .cascade) where !shape.isSelfInverse, (.owner, .deny) where !shape.isSelfInverse,
            (.table, .cascade):
            .nullify
        default: rule
        }
    }
}
