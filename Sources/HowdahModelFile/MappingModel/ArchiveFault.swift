/// What is wrong with an archive in a mapping model; who reads the file adds the place.
struct ArchiveFault: Error, Hashable {
    let message: String

    init(_ message: String) { self.message = message }

    static let truncated = ArchiveFault(
        "The archive is damaged: a reference points outside of it. Restore "
            + "the file.")
    static let tooLarge = ArchiveFault("The archive is larger than that of any expression. Restore the file.")
}
