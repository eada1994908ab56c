import HowdahRuntime

/// The groups of records that must wait for later lines.
///
/// They cannot be saved without an object that neither exists nor is among them.
struct GraphDeferral {
    private(set) var groups: Set<Int> = []
    /// The entities without a natural key with a waiting object.
    ///
    /// Their other objects wait as well, so that their ids keep the order of the lines.
    private(set) var halted: Set<Int>

    init(_ matching: GraphMatching, halted: Set<Int>) {
        self.halted = halted
        let needs = matching.records.map { Self.needs(of: $0, matching) }
        var isSettled = false
        while !isSettled {
            isSettled = true
            for (index, record) in matching.records.enumerated() where !groups.contains(record.group) {
                let isHalted = self.halted.contains(record.entity.index)
                let first = matching.records[matching.canonical[index]].group
                guard
                    isHalted || groups.contains(first)
                        || needs[index].contains(where: { isMissing($0, matching) })
                else { continue }
                groups.insert(record.group)
                isSettled = false
            }
            // Of one group some records may have passed already.
            for record in matching.records
            where groups.contains(record.group) && matching.keys[record.entity] == nil {
                if self.halted.insert(record.entity.index).inserted { isSettled = false }
            }
        }
    }

    private static func needs(of record: GraphRecord, _ matching: GraphMatching) -> [GraphTarget] {
        record.links.filter { link in
            let relationship = record.entity.relationship(link.slot)
            if relationship.isNeeded { return true }
            // Of a one-to-one, the destination may need this line.
            guard let inverse = relationship.inverse, !relationship.isToMany, !relationship.inverseIsToMany
            else { return false }
            return matching.context.layouts[relationship.destination].relationship(inverse).isNeeded
        }
        .flatMap(\.targets)
    }

    private func isMissing(_ target: GraphTarget, _ matching: GraphMatching) -> Bool {
        switch matching.resolve(target) {
        case nil: true
        case .object: false
        case .record(let index): groups.contains(matching.records[index].group)
        }
    }
}
