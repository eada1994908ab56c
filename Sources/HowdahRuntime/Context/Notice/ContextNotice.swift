/// A notice that a context sends to its listeners.
public enum ContextNotice: Sendable, Hashable {
    /// Objects changed.
    ///
    /// It is sent when the event ends: at `processPendingChanges()`, before a fetch that counts unsaved
    /// changes, before a save, and when `perform` ends.
    case didChange(ContextChange)
    /// A save of changes begins, which may still fail. Changes of `willSave` hooks are reported after it.
    case willSave
    /// A save was committed.
    ///
    /// For a save inside of `perform(isolation:)` it is sent after the transaction's COMMIT, and never if
    /// that fails.
    case didSave(SaveNotice)
    /// Saves of other contexts were merged; `refreshedObjectIDs` are the objects here that follow them.
    case didMerge(ContextChange)
    /// The context forgot all its objects and changes, by `reset()`.
    case didReset
}
