import PQClient
import Synchronization

/// The listeners of a container: that of its observer, and its statistics.
package final class StoreEvents: Sendable {
    private let listener: (any StoreListener)?
    private let numbersOnly: (any StoreMeter)?
    let statistics: StoreStatistics
    /// The receiver of the times in which connections open.
    let openings: ConnectionOpenings

    package init(_ listener: (any StoreListener)? = nil, slowerThan slow: Duration? = nil) {
        self.listener = listener
        numbersOnly = listener?.meter
        statistics = StoreStatistics(slowerThan: slow)
        openings = ConnectionOpenings(listener, statistics)
    }

    /// A Boolean value that indicates whether anything is observed.
    var isOn: Bool { listener != nil || statistics.isOn }

    /// The threads for events that belong to no thread of the container: units of work have left theirs, or never had
    /// one.
    ///
    /// The work of observers has other threads, by the number of observers whose calls wait for it. These calls may have
    /// taken all threads of their number.
    private let threads = Mutex<[Int: BlockingThreads]>([:])

    private func threads(at depth: Int) -> BlockingThreads {
        threads.withLock { threads in
            if let known = threads[depth] { return known }
            let made = BlockingThreads(64, name: "howdah-observer")
            threads[depth] = made
            return made
        }
    }

    /// Runs `body`, which emits events, where observers may block.
    ///
    /// It runs in another task, with the task-local values of the caller. The caller goes on where it was. With a
    /// preference for these threads, an actor would go on there.
    nonisolated(nonsending) func deliver(_ body: @escaping @Sendable () -> Void) async {
        guard listener?.mayBlock == true else { return body() }
        await Task(executorPreference: threads(at: GuardedObserver.depth)) { body() }.value
    }

    /// The part that anything needs of a statement that succeeded.
    var need: ObserverNeed {
        if statistics.isOn { return .everything }
        if listener == nil { return .nothing }
        return numbersOnly == nil ? .everything : .numbers
    }

    /// Makes an event and passes it on, if anything listens.
    func emit(_ make: @autoclosure () -> StoreEvent) {
        guard isOn else { return }
        let made = make()
        listener?.observe(made)
        statistics.observe(made)
    }

    /// Passes on a statement that was a round trip by itself. It is a value event only for those that need one.
    func emit(_ statement: StatementEvent) {
        listener?.observe(statement)
        if statistics.isOn { statistics.observe(.statement(.init(statement))) }
    }

    /// Passes on the numbers of statements, also if something has begun to need events since these.
    func pass(_ tally: borrowing RoundTripTally) { numbersOnly?.record(tally) }

    /// Begins the span of an activity; nil without a tracer, or if the span is not wanted.
    func begin(
        _ activity: @autoclosure () -> StoreActivity, if isWanted: @autoclosure () -> Bool = true
    ) -> (any StoreSpan)? {
        numbersOnly == nil && isWanted() ? listener?.begin(activity()) : nil
    }

    /// Notifies the listener that the container is closed.
    func end() { listener?.end() }
}

/// The receiver of the times in which a pool's connections open.
///
/// The pool refers to it weakly, because listeners refer to the pool. An object with weak references is retained
/// more slowly, which the events of a container would be with each statement.
final class ConnectionOpenings: Sendable {
    private let listener: (any StoreListener)?
    private let statistics: StoreStatistics

    init(_ listener: (any StoreListener)?, _ statistics: StoreStatistics) {
        (self.listener, self.statistics) = (listener, statistics)
    }

    func note(_ time: Duration) {
        listener?.observe(.connectionOpened(time))
        statistics.observe(.connectionOpened(time))
    }
}

extension StoreEvents {
    // The receiver of numbers is used where it is stored: a property that returns it would count references, and so
    // would a binding.

    /// Records a call of `perform` that succeeded; false if something needs its event.
    func recordUnit(_ isolation: Isolation?, _ time: Int64, queueTime: Int64) -> Bool {
        if statistics.isOn { return false }
        return numbersOnly?.recordUnit(isolation, time, queueTime: queueTime) != nil
    }

    /// Records a save that succeeded; false if something needs its event.
    func recordSave(_ time: Int64, objects: Int) -> Bool {
        if statistics.isOn { return false }
        return numbersOnly?.recordSave(time, objects: objects) != nil
    }

    /// Reports a wait for a connection.
    func emitWait(_ nanoseconds: Int64, _ error: (any Error)? = nil) {
        if error == nil, !statistics.isOn, numbersOnly?.record(.poolWait, nanoseconds) != nil { return }
        emit(.poolWait(.init(duration: .nanoseconds(nanoseconds), error: error)))
    }

    /// Reports the time for which a unit of work had a connection.
    func emitUse(_ nanoseconds: Int64) {
        if !statistics.isOn, numbersOnly?.record(.connectionUse, nanoseconds) != nil { return }
        emit(.connectionUse(.nanoseconds(nanoseconds)))
    }
}

extension Unmanaged<StoreEvents> {
    /// A Boolean value that indicates whether anything is observed.
    var isOn: Bool { _withUnsafeGuaranteedRef { $0.isOn } }
}

extension (any StoreSpan)? {
    /// Runs `body` in the span, if there is one.
    func run<T>(_ body: () throws -> T) rethrows -> T {
        guard let self else { return try body() }
        return try self.run(body)
    }
}
