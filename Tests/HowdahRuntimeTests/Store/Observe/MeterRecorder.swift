import HowdahRuntime
import PQClient
import Synchronization

/// An observer that needs only numbers of work that succeeded, as metrics do, and keeps them for tests.
final class MeterRecorder: PlacedObserver, StoreListener, StoreMeter {
    struct Record {
        /// The numbers of statements by operation and table.
        var statements: [String: Int] = [:]
        var rows = 0
        /// The number of times that a tally was passed on.
        var passes = 0
        var units = 0
        var saves = 0
        var objects = 0
        var waits = 0
        var uses = 0
        /// The events that were received in place of numbers.
        var events: [StoreEvent] = []
        var isNegative = false
    }

    private let recorded = Mutex(Record())

    var record: Record { recorded.withLock(\.self) }

    func clear() { recorded.withLock { $0 = Record() } }

    var meter: (any StoreMeter)? { self }

    func listener(of place: StorePlace) -> (any StoreListener)? { self }

    func observe(_ event: StoreEvent) { recorded.withLock { $0.events.append(event) } }

    func record(_ tally: borrowing RoundTripTally) {
        let entries = tally.entries
        recorded.withLock { record in
            record.passes += 1
            for entry in entries {
                let name = StoreEvent.StatementReport.summary(of: entry.key.name, on: entry.key.table?.name)
                record.statements[name ?? "own", default: 0] += 1
                record.rows += entry.rows
                if entry.nanoseconds <= 0 { record.isNegative = true }
            }
        }
    }

    func record(_ measure: WorkMeasure, _ nanoseconds: Int64) {
        recorded.withLock { record in
            switch measure {
            case .poolWait: record.waits += 1
            case .connectionUse: record.uses += 1
            }
            if nanoseconds < 0 { record.isNegative = true }
        }
    }

    func recordUnit(_ isolation: Isolation?, _ time: Int64, queueTime: Int64) {
        recorded.withLock { record in
            record.units += 1
            if queueTime < 0 || time < queueTime { record.isNegative = true }
        }
    }

    func recordSave(_ time: Int64, objects: Int) {
        recorded.withLock { record in
            record.saves += 1
            record.objects += objects
            if time <= 0 { record.isNegative = true }
        }
    }
}
