/// What the delete rules of one object did in memory, so that it can be taken back.
struct PropagatedDeletion {
    /// The objects that a cascade deleted.
    var deleted: [ManagedObject] = []
    /// The members that were taken out of to-manys, in their order.
    var unlinked: [(slot: Int, members: [ManagedObject])] = []
    /// The destinations of to-ones that were emptied.
    var cleared: [(slot: Int, destination: ManagedObject)] = []

    var isEmpty: Bool { deleted.isEmpty && unlinked.isEmpty && cleared.isEmpty }
}
