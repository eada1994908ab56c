/// The kind of a change of an object in the history of a store.
///
/// Source: Core Data's `NSPersistentHistoryChangeType`.
public enum HistoryChangeType: Int16, Sendable, Hashable, CaseIterable {
    /// The object was inserted.
    case insert = 0
    /// The object, or a relationship of which it is an end, changed.
    case update = 1
    /// The object was deleted.
    case delete = 2
}
