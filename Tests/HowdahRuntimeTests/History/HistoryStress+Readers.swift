import Foundation
import Howdah
import PQClient
import SeededRandom
import Synchronization

@testable import HowdahRuntime

/// The readers of the history, and their effects.
extension HistoryStress {
    private struct Crash: Error {}

    /// Reads as a consumer whose effects and acknowledgements are one transaction, until the task is cancelled.
    func consume(_ name: String, _ round: Round, isSlow: Bool = false) async throws {
        var random = SplitMix64(seed: seed, "\(name) \(round.number)")
        while true {
            do {
                let consumer = try await readers.historyConsumer(name)
                for try await batch in consumer.changes() {
                    let (fails, dies) = (random.chance(1, in: 12), random.chance(1, in: 12))
                    if fails { throw Crash() }
                    if isSlow { try await Task.sleep(for: .milliseconds(random.below(60))) }
                    try await readers.perform(isolation: .readCommitted) { context in
                        try context.withConnection { connection in
                            let (sql, parameters) = try Self.effects(of: batch.transactions, on: name)
                            _ = try connection.query(sql, parameters)
                        }
                        try context.acknowledge(batch)
                        if dies { throw Crash() }
                    }
                }
                return
            } catch is CancellationError {
                return
            } catch {
                // Connections are ended, and outcomes of COMMIT lost: the store knows where to go on.
                if let error = error as? HistoryError, error.code == .tokenExpired { throw error }
                try? await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    /// Reads without a registration until the round is over; after an expired token, as another reader. Returns the
    /// number of changes.
    func follow(_ round: Round) async throws -> Int {
        var random = SplitMix64(seed: seed, "follower \(round.number)")
        let session = observer()
        var count = 0
        var failing: ContinuousClock.Instant?
        var token: HistoryToken?
        while true {
            let isLast = isOver
            let limit = [50, 500, 5_000][random.below(3)]
            do {
                let start: HistoryToken
                if let token { start = token } else { start = try await readers.currentHistoryToken() }
                token = start
                let result = try await readers.perform {
                    try $0.execute(HistoryRequest.fetch(after: start, limit: limit))
                }
                failing = nil
                if !result.transactions.isEmpty {
                    let (sql, parameters) = try Self.effects(
                        of: result.transactions, on: "follower \(expired)")
                    try session.query(sql, parameters)
                }
                count += result.transactions.reduce(0) { $0 + $1.changes.count }
                token = result.token ?? token
                if isLast, result.transactions.isEmpty { return count }
            } catch let error as HistoryError where error.code == .tokenExpired {
                counts.expired.add(1, ordering: .releasing)
                token = nil
            } catch {
                // A connection was ended, or the server is down.
                let start = failing ?? .now
                if .now - start > .seconds(900) { throw error }
                failing = start
                try await Task.sleep(for: .milliseconds(20))
            }
            // Purges overtake it in hostile rounds.
            try await Task.sleep(for: .milliseconds(random.below(round.isHostile ? 700 : 20)))
        }
    }

    /// Returns the statement that writes the changes of transactions to the effects of a reader.
    private static func effects(
        of transactions: [HistoryTransaction], on reader: String
    ) throws -> (String, Parameters) {
        // Neighbouring changes that differ by their object only are one element.
        var groups: [(entity: String, number: Int64, kind: Int64, isLink: Bool, ids: [String])] = []
        for transaction in transactions {
            for change in transaction.changes {
                let (id, kind) = (change.changedObjectID, Int64(change.changeType.rawValue))
                let isLink = change.updatedProperties == ["skills"]
                if let last = groups.last, last.number == transaction.transactionNumber, last.kind == kind,
                    last.isLink == isLink, last.entity == id.entityName
                {
                    groups[groups.count - 1].ids.append(String(id.key))
                } else {
                    groups.append(
                        (id.entityName, transaction.transactionNumber, kind, isLink, [String(id.key)]))
                }
            }
        }
        var parameters = Parameters()
        try parameters.append(reader)
        try parameters.append(groups.map(\.entity))
        try parameters.append(groups.map { $0.ids.joined(separator: ",") })
        parameters.append(groups.map(\.number))
        parameters.append(groups.map(\.kind))
        parameters.append(groups.map { $0.isLink ? 1 : 0 })
        return (
            """
            INSERT INTO effect (consumer, entity, id, number, kind, is_link)
            SELECT $1, p.entity, i.id, p.number, p.kind, p.is_link = 1
            FROM unnest($2, $3, $4, $5, $6) WITH ORDINALITY p(entity, ids, number, kind, is_link, n),
                unnest(string_to_array(p.ids, ',')::int8[]) WITH ORDINALITY i(id, n) ORDER BY p.n, i.n
            """, parameters
        )
    }

    /// Reads as a naive program would, by ascending numbers, and returns how many transactions it has missed.
    func poll(by column: String, _ round: Round) async throws -> Int {
        let session = observer()
        func numbers(after: String) throws -> [(String, Int64)] {
            try session.query(
                "SELECT DISTINCT \(column)::text AS mark, number FROM _howdah_history WHERE \(column) > '\(after)' "
                    + "ORDER BY 2"
            ).map { ($0[0].string(), $0[1].int64) }
        }
        let place =
            column == "txid"
            ? "SELECT pg_current_xact_id()::text"
            : "SELECT coalesce(max(number), 0)::text FROM _howdah_history"
        var last = try session.query(place).first { $0[0].string() } ?? "0"
        let start = last
        var known: Set<Int64> = []
        while true {
            let isLast = isOver
            let found = try numbers(after: last)
            known.formUnion(found.map(\.1))
            last = found.map(\.0).max { (UInt64($0) ?? 0) < (UInt64($1) ?? 0) } ?? last
            if isLast { break }
            // A small round needs more looks to miss something.
            try await Task.sleep(for: .milliseconds(round.count > 20_000 ? 10 : 1))
        }
        return Set(try numbers(after: start).map(\.1)).subtracting(known).count
    }
}
