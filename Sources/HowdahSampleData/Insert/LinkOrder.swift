import HowdahModel

/// Which links are set in which save: each with the later of its two objects.
struct LinkOrder {
    struct Step {
        let owner: Int
        let relationship: String
        /// One for a to-one; for an ordered to-many all members that there are by then, in their order.
        var members: [Int]
        let kind: Kind
    }

    enum Kind {
        case toOne, toMany, ordered
    }

    /// For each save; ordered to-manys come last.
    private(set) var steps: [[Step]]

    init(_ data: SampleData, _ order: SaveOrder) {
        steps = Array(repeating: [], count: order.batches.count)
        let batch = order.batchOfObject
        for (owner, object) in data.objects.enumerated() {
            for link in object.links {
                guard
                    let description = data.model.property(named: link.relationship, of: object.entityName)?
                        .relationship
                else { continue }
                let kind: Kind = description.isOrdered ? .ordered : description.isToMany ? .toMany : .toOne
                var byBatch: [Int: [Int]] = [:]
                for member in link.members {
                    let place = max(batch[owner], batch[member])
                    // An unordered link between an earlier owner and a later member is set by the member, if it can.
                    if kind != .ordered, description.inverse != nil, place != batch[owner] { continue }
                    byBatch[place, default: []].append(member)
                }
                for place in byBatch.keys.sorted() {
                    let members =
                        kind == .ordered
                        ? link.members.filter { max(batch[owner], batch[$0]) <= place } : byBatch[place] ?? []
                    steps[place].append(
                        Step(owner: owner, relationship: link.relationship, members: members, kind: kind))
                }
            }
        }
        for place in steps.indices {
            let ordered = steps[place].filter { $0.kind == .ordered }
            if !ordered.isEmpty { steps[place] = steps[place].filter { $0.kind != .ordered } + ordered }
        }
    }
}
