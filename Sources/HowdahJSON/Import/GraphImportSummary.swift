/// What an import did.
public struct GraphImportSummary: Hashable, Sendable {
    /// How many objects the document has.
    public internal(set) var objectCount = 0
    /// How many of them were new.
    public internal(set) var insertedCount = 0
    /// How many of them were there and were changed.
    public internal(set) var updatedCount = 0
}
