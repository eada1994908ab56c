extension PersistentContainer {
    /// What contexts of this container stored, from now on: each save once it is committed, whichever context it is of.
    ///
    /// Batch requests are told like saves, their ids at most 10,000 in a notice. Saves of other processes and plain SQL are
    /// not among it. Saves of different contexts may come
    /// in another order than they were committed in.
    ///
    /// Source: Core Data's `didSaveObjectIDsNotification`.
    public var saves: Notices<SaveNotice> { store.notices.board.listen() }
}
