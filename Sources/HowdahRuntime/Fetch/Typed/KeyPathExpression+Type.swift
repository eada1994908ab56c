public import HowdahModel

extension KeyPathExpression where Value: ManagedObject {
    /// Whether the object is of the entity of a class, or of one of its sub-entities; false of nil.
    ///
    /// Source: Core Data's `isKindOf(entity:)` of `NSEntityDescription`.
    public func isKind<Kind: ManagedObject>(of type: Kind.Type) -> PredicateTree {
        if let error = path.error { return PredicateTree(failing: error) }
        return PredicateTree(
            .comparison(
                lhs: .lineage(of: operand), op: .contains, rhs: .constant(.string(type._entityName)),
                modifier: modifier))
    }
}
