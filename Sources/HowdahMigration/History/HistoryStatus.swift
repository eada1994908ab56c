/// The state of a store's history, for operators.
package struct HistoryStatus: Hashable, Sendable, Codable {
    /// A part of the history that is truncated as a whole.
    package struct Slot: Hashable, Sendable, Codable {
        package let number: Int
        /// The size on disk, with indexes.
        package let bytes: Int64
        /// Indicates whether there is a row.
        package let isUsed: Bool
        /// The seconds since the oldest change was stored; nil if there is none.
        package let oldestAge: Int64?
    }

    /// A program that reads the history, and whose position is kept.
    package struct Consumer: Hashable, Sendable, Codable {
        package let name: String
        package let registeredAt: String
        package let acknowledgedAt: String
        /// The seconds since it acknowledged changes.
        package let age: Int64
        /// Indicates whether there are changes that it has not read.
        package let isBehind: Bool
        /// The seconds since the oldest change was stored that it has not read; 0 if it has read all.
        package let lag: Int64
        /// The number of history transactions that it has not read. It is an estimate by their numbers, which have gaps.
        package let unread: Int64
        /// Indicates whether its position is of a server that left no trace, so that it cannot continue.
        package let isLost: Bool
    }

    /// `enabled`, `guarded` or `trusted`.
    package let phase: String
    /// The identity of the history.
    package let incarnation: String
    /// The seconds that changes are kept for.
    package let retention: Int64
    /// The slot that is written; nil before the start.
    package let current: Int?
    /// The time since which the slot is written.
    package let openedAt: String
    /// The seconds since a program last kept the history.
    package let heartbeatAge: Int64
    /// The size of all slots on disk.
    package let bytes: Int64
    /// The seconds since the oldest change was stored; nil if there is none. Without consumers that hold changes, it exceeds
    /// the retention by less than two days if the history is purged.
    package let oldestAge: Int64?
    /// The stored names of the entities whose changes by other programs are written.
    package let tracked: [String]
    package let slots: [Slot]
    package let consumers: [Consumer]
    /// The reason why programs must not continue the history; nil if they may.
    package let refusal: String?
}
