/// The range of bytes that a request asks for.
struct ByteRange: Equatable {
    let first: Int
    let last: Int

    /// Reads the field `Range`; nil for none, for several, and for one that cannot be answered.
    init?(_ field: String?, length: Int) {
        guard let field, field.hasPrefix("bytes="), !field.contains(","), length > 0 else { return nil }
        let parts = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        if parts[0].isEmpty {
            guard let count = Int(parts[1]), count > 0 else { return nil }
            (first, last) = (max(0, length - count), length - 1)
        } else {
            guard let start = Int(parts[0]), start >= 0, start < length else { return nil }
            let end = parts[1].isEmpty ? length - 1 : Int(parts[1]) ?? -1
            guard end >= start else { return nil }
            (first, last) = (start, min(end, length - 1))
        }
    }
}
