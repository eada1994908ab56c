#if Server || All || Telemetry
import CoreMetrics
import HowdahRuntime
import PQClient
import Synchronization

/// The instruments of round trips: one pair for each operation on a table, and for each of its errors.
final class StatementInstruments: Sendable {
    /// The labels of a pair.
    private struct Key: Hashable {
        let operation: String?
        let collection: String?
        let error: String?
        /// The SQLSTATE, if the error is one.
        var state: String?
        var isOwnWriting = false

        var summary: String? {
            StoreEvent.StatementReport.summary(of: operation, on: collection)
        }
    }

    private final class Pair: Sendable {
        let duration: any TimerHandler
        /// The recorder of returned rows; nil for an error, and for statements that only write.
        let rows: (any RecorderHandler)?

        init(_ duration: any TimerHandler, _ rows: (any RecorderHandler)?) {
            (self.duration, self.rows) = (duration, rows)
        }
    }

    /// A pair that was used recently. It has no reference, because copies would count it.
    private struct Recent {
        let bits: UInt
        /// Not retained: all pairs are kept as long as the instruments.
        let pair: Unmanaged<Pair>
    }

    private struct State {
        var pairs: [Key: Pair] = [:]
        var recent: [Recent?] = Array(repeating: nil, count: places)
        /// The tables whose addresses are in the keys of the recent pairs.
        var tables: [StatementTable?] = Array(repeating: nil, count: places)
    }

    /// The number of recent pairs; a power of two.
    private static let places = 64

    private let factory: any MetricsFactory
    private let place: StorePlace
    private let errors: ErrorTypes
    /// A Boolean value that indicates whether labels that do not apply are empty instead of missing.
    private let hasConstantLabels: Bool
    private let state = Mutex(State())

    init(factory: any MetricsFactory, place: StorePlace, errors: ErrorTypes, hasConstantLabels: Bool) {
        self.factory = factory
        self.place = place
        self.errors = errors
        self.hasConstantLabels = hasConstantLabels
    }

    /// Records the statements of a connection.
    ///
    /// This is done for each statement of a container, so it finds the instruments without reading a name. It does
    /// so once for all statements of one kind that follow each other.
    func record(_ tally: borrowing RoundTripTally) {
        let entries = tally.entries
        guard let first = entries.baseAddress else { return }
        var index = 0
        while index < entries.count {
            let key = first[index].key
            pair(of: key)._withUnsafeGuaranteedRef { pair in
                repeat {
                    pair.duration.recordNanoseconds(first[index].nanoseconds)
                    pair.rows?.record(Int64(first[index].rows))
                    index += 1
                } while index < entries.count && first[index].key.bits == key.bits
            }
        }
    }

    private func pair(of key: RoundTripKey) -> Unmanaged<Pair> {
        // Neighbours in memory differ in the lower bits of their addresses, and operations below these.
        let index = Int(truncatingIfNeeded: key.bits ^ key.bits >> 5 ^ key.bits >> 11) & (Self.places - 1)
        return state.withLock { state in
            if let known = state.recent[index], known.bits == key.bits { return known.pair }
            let labels = Key(
                operation: key.name, collection: key.table?.name, error: nil, isOwnWriting: key.isOwnWriting)
            let found = Unmanaged.passUnretained(pair(for: labels, in: &state))
            (state.recent[index], state.tables[index]) = (Recent(bits: key.bits, pair: found), key.table)
            return found
        }
    }

    /// Records a round trip.
    func record(_ statement: StoreEvent.StatementReport) {
        let error = statement.error.map { errors.label($0) }
        // The last label stands for many states.
        let code = error == statement.error?.sqlState ? error : nil
        let key = Key(
            operation: statement.operation, collection: statement.collection, error: error, state: code,
            isOwnWriting: statement.isOwnWriting)
        let pair = state.withLock { self.pair(for: key, in: &$0) }
        pair.duration.recordNanoseconds(statement.duration.nanoseconds)
        pair.rows?.record(Int64(statement.rows))
    }

    private func pair(for key: Key, in state: inout State) -> Pair {
        if let known = state.pairs[key] { return known }
        let labels = [
            ("db.system.name", "postgresql"), ("db.namespace", place.namespace),
            ("db.operation.name", key.operation), ("db.collection.name", key.collection),
            ("db.query.summary", key.summary),
            ("server.address", place.host), ("server.port", place.port.map(String.init)),
        ]
        // Own SQL has one timer, whether it returns rows or not.
        var other = key
        other.isOwnWriting.toggle()
        let duration =
            state.pairs[other]?.duration
            ?? factory.timer(
                "db.client.operation.duration",
                present(
                    labels + [("error.type", key.error), ("db.response.status_code", key.state)]))
        // Only statements that succeeded return rows, so that an error is not one of the labels.
        let returnsRows =
            key.error == nil
            && StoreEvent.StatementReport.rowsName(of: key.operation, isOwnWriting: key.isOwnWriting)
                == "db.response.returned_rows"
        let rows =
            returnsRows
            ? factory.makeRecorder(
                label: "db.client.response.returned_rows", dimensions: present(labels), aggregate: true)
            : nil
        let made = Pair(duration, rows)
        state.pairs[key] = made
        return made
    }

    private func present(_ labels: [(String, String?)]) -> [(String, String)] {
        labels.compactMap { name, value in
            (value ?? (hasConstantLabels ? "" : nil)).map { (name, $0) }
        }
    }
}
#endif
