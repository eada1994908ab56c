/// What decoding a row must know of a to-one relationship, without a reference that each row would retain.
struct ToOneShape: Sendable {
    /// Whether the foreign key is in the row at hand.
    let isForeignKey: Bool
    /// Whether no table has it, so that a row's object begins without a destination.
    let isTransient: Bool
    /// Whether the destination's entity stands beside the key.
    let hasEntityColumn: Bool
    /// The destination entity's place.
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
