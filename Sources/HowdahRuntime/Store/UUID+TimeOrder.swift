import Foundation

extension UUID {
    /// Creates a UUID of version 7: its first 48 bits are the milliseconds since 1970, so later ones are
    /// greater.
    ///
    /// Source: RFC 9562.
    init(timeOrderedAt date: Date) {
        let milliseconds = UInt64(max(0, date.timeIntervalSince1970) * 1_000)
        let time = (0..<6).map { UInt8(truncatingIfNeeded: milliseconds >> (40 - 8 * $0)) }
        var random = UUID().uuid
        (random.0, random.1, random.2, random.3, random.4, random.5) = (
            time[0], time[1], time[2], time[3], time[4], time[5]
        )
        random.6 = random.6 & 0x0F | 0x70
        self.init(uuid: random)
    }

    /// The creation time of a UUID of version 7.
    var timeOrderedDate: Date {
        let bytes = [uuid.0, uuid.1, uuid.2, uuid.3, uuid.4, uuid.5]
        return Date(timeIntervalSince1970: Double(bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) / 1_000)
    }
}
