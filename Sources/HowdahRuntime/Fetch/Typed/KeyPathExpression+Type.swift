public import HowdahModel

extension KeyPathExpression where Value: ManagedObject {
    /// Returns a condition that the object is of the entity of a class, or of one of its sub-entities; false
    /// for nil.
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
