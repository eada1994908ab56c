/// A name as a part of an address.
///
/// A browser resolves the parts `.` and `..` before it sends an address, also if they are encoded. Such a name has a
/// tilde before it, and so has a name that would be mistaken for that.
enum PathSegment {
    /// Returns the encoded part for a name.
    static func encoded(_ name: String) -> String { (isDots(name) ? "~" : "") + FormText.encoded(name) }

    /// Returns the name of a decoded part.
    static func name(_ part: String) -> String {
        part.hasPrefix("~") && isDots(part) ? String(part.dropFirst()) : part
    }

    /// Indicates whether a name is one or two dots behind any number of tildes.
    private static func isDots(_ name: String) -> Bool { [".", ".."].contains(name.drop { $0 == "~" }) }
}
