/// What decoding a row must know of a to-one relationship, without a reference that each row would retain.
struct ToOneShape: Sendable {
    /// Whether the foreign key is in the row at hand.
    let isForeignKey: Bool
    /// Whether the destination's entity stands beside the key.
    let hasEntityColumn: Bool
    /// The destination entity's place.
    let destination: Int32

    init(_ relationship: RelationshipLayout?) {
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
