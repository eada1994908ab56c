import HowdahModel

/// The derived attributes of one entity, by who computes them.
struct DerivedSlots: Sendable {
    /// Columns that the server generates from the row, by the slot they follow from.
    let generated: [Int: [Int]]
    /// Moments, which each save of the object writes.
    let moments: [Int]
    /// What else is written once, when the row is inserted, and computed by statements of their own after that.
    let initialValues: [Int: Value]

    /// Nil where no attribute is derived.
    init?(_ slots: [EntityLayout.Slot]) {
        var generated: [Int: [Int]] = [:]
        var moments: [Int] = []
        var initialValues: [Int: Value] = [:]
        for (slot, property) in slots.enumerated() {
            guard case .attribute(let attribute) = property.kind, attribute.isDerived,
                let kind = attribute.description.derivation?.kind
            else { continue }
            switch kind {
            case .copy(let path), .canonical(let path), .uppercase(let path), .lowercase(let path):
                let source = slots.firstIndex { $0.name == path[0] } ?? slot
                if slots[source].relationship == nil {
                    generated[source, default: []].append(slot)
                } else {
                    initialValues[slot] = .null
                }
            case .now: moments.append(slot)
            case .count, .sum: initialValues[slot] = attribute.description.emptyAggregate
            }
        }
        if generated.isEmpty, moments.isEmpty, initialValues.isEmpty { return nil }
        self.generated = generated
        self.moments = moments
        self.initialValues = initialValues
    }

    /// The generated slots that a write of `slots` changes, ascending.
    func generated(from slots: some Sequence<Int>) -> [Int] {
        slots.flatMap { generated[$0] ?? [] }.sorted()
    }

    func isGenerated(_ slot: Int) -> Bool { generated.values.contains { $0.contains(slot) } }
}

extension EntityLayout {
    /// Traps where an attribute is written that the store computes.
    func checkIsSet(_ slot: Int) {
        guard let attribute = attribute(slot), attribute.isDerived else { return }
        preconditionFailure(
            "\(name).\(attribute.description.name) is derived and cannot be set. Set the properties that it is derived "
                + "from."
        )
    }
}
