/// Records the changes of a context so that they can be undone; `UndoStack` implements it.
protocol UndoRecorder: AnyObject {
    /// Records the changes of an event that ended.
    func close(_ event: ContextEvent)
    /// Drops all changes.
    func removeAllActions()
    /// Records the relationships of objects whose deletion was saved, before they lose them.
    func bury(_ objects: [ManagedObject])
    /// Removes the insertion of an object from all actions, because its row existed before.
    func forgetInsertion(of object: ManagedObject)
    /// Runs `body` without recording its changes.
    func suspended<T>(_ body: () throws -> T) rethrows -> T
}
