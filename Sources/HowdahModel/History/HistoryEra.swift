/// The run of a server in which a snapshot was taken.
///
/// Transaction ids repeat after a failover that lost the end of the log, and after the restore of a backup.
/// So a snapshot means the same only in its own era. The number of a timeline alone may repeat too.
package struct HistoryEra: Hashable, Sendable {
    /// The number of the timeline of the server's log.
    package let timeline: UInt32
    /// The time at which the server started, in microseconds since 1970.
    package let start: Int64

    package init(timeline: UInt32, start: Int64) {
        self.timeline = timeline
        self.start = start
    }
}

extension HistoryEra: LosslessStringConvertible {
    /// The text in the tables of the history: eight hexadecimal digits, a slash and the microseconds.
    package var description: String {
        let digits = String(timeline, radix: 16, uppercase: true)
        return String(repeating: "0", count: 8 - digits.count) + digits + "/\(start)"
    }

    /// Creates an era from its text; nil for any other text.
    package init?(_ description: String) {
        let parts = description.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let timeline = UInt32(parts[0], radix: 16), let start = Int64(parts[1]) else {
            return nil
        }
        self.init(timeline: timeline, start: start)
        // One era has one text.
        guard self.description == description else { return nil }
    }
}
