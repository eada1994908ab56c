import HowdahModel

extension ManagedObject: PredicateEntity {
    package class var predicateEntityName: String { _entityName }
}

extension EntityLayout {
    /// The names of this entity and those above it, the root's first.
    func lineage(in layouts: [EntityLayout]) -> [String] {
        let above = layouts.filter { $0.root == root && $0.index != index && $0.family.contains(index) }
        return above.sorted { $0.family.count > $1.family.count }.map(\.name) + [name]
    }
}
