package import HowdahModel

extension ModelDifference {
    /// What a store loses on the way from `old`, which inference would let go without asking: each with the name that
    /// confirms it.
    package static func losses(
        from old: ManagedObjectModel, to new: ManagedObjectModel, confirmedDrops: Set<String>
    ) -> [String] {
        ModelDifference(from: old, to: new, confirmedDrops: confirmedDrops).changes.filter { change in
            guard change.kind == .removed, !confirmedDrops.contains(change.place),
                !confirmedDrops.contains(change.entity)
            else { return false }
            guard let name = change.property, let entity = old[change.entity] else { return true }
            return !entity.properties.contains { $0.name == name && $0.isWithoutValuesOfItsOwn }
        }.map(\.place)
    }
}

extension PropertyDescription {
    /// Whether its values follow from others, or are not stored.
    fileprivate var isWithoutValuesOfItsOwn: Bool {
        guard case .attribute(let attribute) = kind else { return false }
        return attribute.isTransient || attribute.derivationExpression != nil
    }
}
