import Foundation

extension UUID {
    /// Creates a UUID of version 7: its first 48 bits are the milliseconds since 1970, so later ones are
    /// greater.
    ///
    /// Source: RFC 9562.
    init(timeOrderedAt date: Date) {
        let milliseconds = UInt64(max(0, date.timeIntervalSince1970) * 1_000)
        // UUID() opens a file each time on Linux, which takes four times as long.
        var generator = SystemRandomNumberGenerator()
        let high = milliseconds << 16 | 0x7000 | generator.next() & 0x0FFF
        let low = 1 << 63 | generator.next() & (.max >> 2)
        self.init(uuid: unsafeBitCast((high.bigEndian, low.bigEndian), to: uuid_t.self))
    }

    /// The creation time of a UUID of version 7.
    var timeOrderedDate: Date {
        let bytes = [uuid.0, uuid.1, uuid.2, uuid.3, uuid.4, uuid.5]
        return Date(timeIntervalSince1970: Double(bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) / 1_000)
    }
}
