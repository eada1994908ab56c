/// The result of an import.
public struct GraphImportSummary: Hashable, Sendable {
    /// The number of objects in the document.
    public internal(set) var objectCount = 0
    /// The number of new objects.
    public internal(set) var insertedCount = 0
    /// The number of existing objects that were changed.
    public internal(set) var updatedCount = 0
    /// The number of existing objects that had all values of the document, and were not changed.
    public var skippedCount: Int { objectCount - insertedCount - updatedCount }
}
