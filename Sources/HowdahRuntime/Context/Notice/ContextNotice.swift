/// What a context tells those who listen to it.
public enum ContextNotice: Sendable, Hashable {
    /// Objects changed; told when the event ends: at `processPendingChanges()`, before a fetch that counts unsaved changes,
    /// before a save, and when `perform` ends.
    case didChange(ContextChange)
    /// A save of changes begins, whatever comes of it; what `willSave` hooks change is told after it.
    case willSave
    /// A save was committed; one inside of `perform(isolation:)` is told after the transaction's COMMIT, and never where
    /// that did not happen.
    case didSave(SaveNotice)
    /// What others saved was merged; `refreshedObjectIDs` are the objects here that follow it.
    case didMerge(ContextChange)
    /// The context forgot all its objects and changes, by `reset()`.
    case didReset
}
