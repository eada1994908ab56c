import Foundation
import HowdahModel
import PQClient

/// The state of a store's history in one statement, and the edge that the statement's snapshot is.
struct HistoryState: Sendable {
    /// The number of columns.
    static let columnCount = 13

    let incarnation: UUID
    let purged: UInt64
    let purgedAt: StoreSnapshot
    let deleted: StoreSnapshot
    let isStarted: Bool
    let era: HistoryEra
    /// The statement's snapshot. The transaction of the statement itself is not visible.
    let edge: HistoryEdge
    /// Indicates whether the log is flushed up to the edge.
    let isFlushed: Bool
    /// Indicates whether the last heartbeat is of the present era.
    let hasHeartbeat: Bool

    /// Indicates whether the statement's snapshot was taken after its tables were locked. An older one does not show
    /// that a table was truncated meanwhile.
    let showsTruncation: Bool

    /// Indicates whether a dump has restored the table of the state. It may be older than tokens that programs have.
    var isRestored: Bool { incarnation == HistoryStatements.nobody }

    /// Reads the first columns of a row.
    init(_ row: Row) throws {
        incarnation = row[0].uuid
        guard let purged = UInt64(row[1].string()), let purgedAt = StoreSnapshot(row[2].string()),
            let deleted = StoreSnapshot(row[3].string()), let era = HistoryEra(row[5].string()),
            var now = StoreSnapshot(row[6].string())
        else {
            throw HistoryError(
                .database,
                "The state of the history cannot be read. Run howdah migrate doctor, which names the damage.")
        }
        // A snapshot counts the transaction as visible in which it is taken, although it may be rolled back.
        if !row[7].isNull, let own = UInt64(row[7].string()) { now = now.excluding(own) }
        self.purged = purged
        self.purgedAt = purgedAt
        self.deleted = deleted
        self.era = era
        isStarted = row[4].isTrue
        edge = HistoryEdge(
            snapshot: now, position: row[8].string(), checkpoint: row[11].isNull ? nil : row[11].string())
        isFlushed = row[9].isTrue
        hasHeartbeat = row[10].isTrue
        showsTruncation = row[12].isTrue
    }

    /// Returns the state of the first row of a result.
    ///
    /// - Throws: ``HistoryError`` with `noHistory` if the state is missing, or the history was not started.
    static func first(_ result: QueryResult) throws -> HistoryState {
        guard let state = try result.first({ try HistoryState($0) }) else { throw HistoryError.missing }
        guard state.isStarted else { throw HistoryError.starting }
        return state
    }

    /// The snapshot from which on everything is kept.
    var beginning: StoreSnapshot {
        StoreSnapshot.beginning(deleted: deleted, purgedUpTo: purged, at: purgedAt)
    }

    /// - Throws: ``HistoryError`` with `tokenExpired` if not all changes after the snapshot are kept.
    func check(_ snapshot: StoreSnapshot) throws {
        guard snapshot.isServed(purgedUpTo: purged, at: purgedAt), snapshot.sees(allOf: deleted),
            // A snapshot of the future is of a server whose log was lost.
            snapshot.xmax <= edge.snapshot.xmax
        else { throw HistoryError.expired }
    }
}
