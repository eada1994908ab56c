/// What is wrong with an archive in a mapping model; who reads the file adds the place.
struct ArchiveFault: Error, Hashable {
    let message: String

    init(_ message: String) { self.message = message }

    /// Archived data that Core Data did not write in this form.
    static func damaged(_ reason: String) -> ArchiveFault {
        ArchiveFault(
            "The archived data is damaged: \(reason). Restore the mapping model file from version control.")
    }

    static func missing(_ field: String, of object: KeyedArchive.Object) -> ArchiveFault {
        damaged("\(field) of \(object.className) is missing")
    }

    static let truncated = damaged("a reference points outside of the data")
    static let tooLarge = ArchiveFault(
        "The stored expression exceeds the limit of \(BinaryPropertyList.Limit.bytes) bytes or "
            + "\(ArchivedExpression.Limit.objects) parts. Simplify the expression, or restore the mapping "
            + "model file from version control.")
}
