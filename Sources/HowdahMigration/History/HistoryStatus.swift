/// The state of a store's history, for operators.
package struct HistoryStatus: Hashable, Sendable, Codable {
    /// A part of the history that is truncated as a whole.
    package struct Slot: Hashable, Sendable, Codable {
        package let number: Int
        /// The size on disk, with indexes.
        package let bytes: Int64
        /// Indicates whether there is a row.
        package let isUsed: Bool
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
    /// The stored names of the entities whose changes by other programs are written.
    package let tracked: [String]
    package let slots: [Slot]
    package let consumers: [Consumer]
    /// The reason why programs must not continue the history; nil if they may.
    package let refusal: String?
}
