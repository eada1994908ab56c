import HowdahModel

/// The derived attributes of one entity, by the way in which they are computed.
struct DerivedSlots: Sendable {
    /// The columns that the server generates from the row, by the slot that they depend on.
    let generated: [Int: [Int]]
    /// The times, which each save of the object writes.
    let moments: [Int]
    /// The other values. They are written once, when the row is inserted; separate statements compute them
    /// after that.
    let initialValues: [Int: Value]

    /// Creates the slots; nil if no attribute is derived.
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

    /// Returns the generated slots that a write of `slots` changes, ascending.
    func generated(from slots: some Sequence<Int>) -> [Int] {
        slots.flatMap { generated[$0] ?? [] }.sorted()
    }

    func isGenerated(_ slot: Int) -> Bool { generated.values.contains { $0.contains(slot) } }
}

extension EntityLayout {
    /// Traps if the slot's attribute is one that the store computes.
    func checkIsSet(_ slot: Int) {
        guard let attribute = attribute(slot), attribute.isDerived else { return }
        preconditionFailure(
            "\(name).\(attribute.description.name) is derived and cannot be set. Set the properties that it is derived "
                + "from."
        )
    }
}
