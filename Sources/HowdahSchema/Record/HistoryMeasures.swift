internal import Foundation
package import PQClient

/// The state of a store's history, for operators and for programs that report it.
package struct HistoryMeasures: Hashable, Sendable, Codable {
    /// A part of the history that is truncated as a whole.
    package struct Slot: Hashable, Sendable, Codable {
        package let number: Int
        /// The size on disk, with indexes.
        package let bytes: Int64
        /// Indicates whether there is a row.
        package let isUsed: Bool
        /// The seconds since the oldest change was stored; nil if there is none.
        package let oldestAge: Int64?
        /// Indicates whether all of its changes are past the retention, so that only consumers hold it.
        package let isOver: Bool
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
        /// The slot with the oldest change that it has not read; nil if it has read all.
        package let slot: Int?
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

    /// The consumers that hold parts of the history which are past the retention, by name.
    package var holders: [String] {
        let over = Set(slots.filter(\.isOver).map(\.number))
        return consumers.filter { consumer in
            consumer.isLost ? !over.isEmpty : consumer.slot.map(over.contains) ?? false
        }.map(\.name).sorted()
    }
}

extension HistoryMeasures {
    /// Reads the state in one round trip. The tables must exist.
    ///
    /// A role that reads objects may do it.
    ///
    /// - Throws: `PostgresError`.
    package init(in schemaName: String, on connection: Connection) throws {
        let tables = HistoryTables(in: schemaName)
        var batch = Batch()
        for statement in [HistoryRecord.selection(in: schemaName)] + tables.measurement {
            batch.add(statement, cached: false, about: StatementSubject(.select))
        }
        let results = try connection.run(batch)
        let record = HistoryRecord(results[0])
        slots = results[1].map { row in
            Slot(
                number: Int(row[0].int32), bytes: row[1].int64, isUsed: !row[2].isNull,
                oldestAge: row[2].isNull ? nil : row[2].int64, isOver: row[3].isTrue)
        }
        let state = results[2].first { row in
            (
                current: row[0].isNull ? nil : Int(row[0].int64), openedAt: row[1].string(),
                heartbeatAge: row[2].int64, tracked: row[3].string()
            )
        }
        consumers = results[3].map { row in
            Consumer(
                name: row[0].string(), registeredAt: row[1].string(), acknowledgedAt: row[2].string(),
                age: row[3].int64, isBehind: row[4].isTrue, lag: row[6].int64, unread: row[7].int64,
                isLost: row[5].isTrue, slot: row[8].isNull ? nil : Int(row[8].int32))
        }
        phase = record.phase.rawValue
        incarnation = record.incarnation.uuidString.lowercased()
        retention = record.retention.components.seconds
        current = state?.current
        openedAt = state?.openedAt ?? ""
        heartbeatAge = state?.heartbeatAge ?? 0
        bytes = slots.reduce(0) { $0 + $1.bytes }
        oldestAge = slots.compactMap(\.oldestAge).max()
        tracked = (state?.tracked ?? "").split(separator: "\u{1F}").map(String.init).sorted()
        refusal = record.refusal(in: schemaName)
    }
}
