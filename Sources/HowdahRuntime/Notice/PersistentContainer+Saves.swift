extension PersistentContainer {
    /// What contexts of this container saved, from now on: each save once it is committed, whichever context it is of.
    ///
    /// Saves of other processes, batch deletions and plain SQL are not among it. Saves of different contexts may come
    /// in another order than they were committed in.
    ///
    /// Source: Core Data's `didSaveObjectIDsNotification`.
    public var saves: Notices<SaveNotice> { store.notices.board.listen() }
}
