/// What is wrong with an archive in a mapping model; who reads the file adds the place.
struct ArchiveFault: Error, Hashable {
    let message: String

    init(_ message: String) { self.message = message }

    static let truncated = ArchiveFault("it points outside of itself; it is damaged.")
    static let tooLarge = ArchiveFault("it is larger than any expression.")
}
