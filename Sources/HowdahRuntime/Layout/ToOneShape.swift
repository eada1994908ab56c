/// The facts of a to-one relationship for decoding a row, without a reference that each row would retain.
struct ToOneShape: Sendable {
    /// A Boolean value that indicates whether the foreign key is in the row itself.
    let isForeignKey: Bool
    /// A Boolean value that indicates whether no table has it, so that a row's object begins without a
    /// destination.
    let isTransient: Bool
    /// A Boolean value that indicates whether the destination's entity is next to the key.
    let hasEntityColumn: Bool
    /// The destination entity's position.
    let destination: Int32

    init(_ relationship: RelationshipLayout?) {
        isTransient = relationship?.isTransient ?? false
        destination = Int32(relationship?.destination ?? -1)
        if case .foreignKey(let columns)? = relationship?.storage {
            isForeignKey = true
            hasEntityColumn = columns.entityColumn != nil
        } else {
            isForeignKey = false
            hasEntityColumn = false
        }
    }
}
