/// Keeps the changes of a context so that they can be undone; `UndoStack` does.
protocol UndoRecorder: AnyObject {
    /// Keeps the changes of an event that ended.
    func close(_ event: ContextEvent)
    /// Forgets all changes.
    func removeAllActions()
    /// Keeps the relationships of objects whose deletion was saved, before they lose them.
    func bury(_ objects: [ManagedObject])
    /// Has no action undo that an object was made, because its row was there before.
    func forgetInsertion(of object: ManagedObject)
    /// Runs `body` without keeping its changes.
    func suspended<T>(_ body: () throws -> T) rethrows -> T
}
