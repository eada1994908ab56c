/// A to-many kept by its owner's row, in its state after the rollback of a transaction that saved it.
struct ListMemento {
    let owner: ManagedObject
    let slot: Int
    /// The members at the time of the rollback; nil if they were not loaded.
    let members: [ManagedObject]?
    /// The numbers in the store before the transaction.
    var numbers: [Int64: Int64]

    init(_ owner: ManagedObject, _ slot: Int, numbers: [Int64: Int64]) {
        self.owner = owner
        self.slot = slot
        self.numbers = numbers
        members = owner._toManyState(at: slot).flatMap { $0.isLoaded ? $0.members : nil }
    }

    /// Restores the members as unsaved changes, unless the owner was read again.
    func restore() {
        guard owner.owner != nil, !owner.isFault else { return }
        let state = owner.toManyState(slot)
        if let members {
            state.load([])
            state.reorder(members)
            state.numbers = numbers
        }
        owner.noteEdit(of: state)
        state.keepEdited()
        owner.owner?.noteTouched(state)
    }
}
