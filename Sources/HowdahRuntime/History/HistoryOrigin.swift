/// The kind of program that made a change in the history of a store.
public enum HistoryOrigin: Int16, Sendable, Hashable, CaseIterable {
    /// A save of a context.
    case save = 0
    /// A batch request.
    case batch = 1
    /// A statement of another program, noticed by a trigger.
    case otherProgram = 2
    /// A migration, or another change that concerns all objects.
    case migration = 3
}
