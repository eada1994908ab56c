package import PQClient

/// The receiver of a container's events; a class, because it is called for each statement.
package protocol StoreListener: AnyObject, Sendable {
    /// Receives an event, where it happened or where ``StoreEvents/deliver(_:)`` passes it on.
    func observe(_ event: StoreEvent)

    /// Receives a statement that was a round trip by itself, instead of its event.
    func observe(_ statement: StatementEvent)

    /// The receiver of numbers in place of events about successful work; nil if the listener needs the events, or begins
    /// spans.
    var meter: (any StoreMeter)? { get }

    /// A Boolean value that indicates whether a program's own code receives the events of this task, and may block.
    var mayBlock: Bool { get }

    /// Begins a span; nil if none is recorded.
    func begin(_ activity: StoreActivity) -> (any StoreSpan)?

    /// Receives the end of the container, whose connections are closed but for those of units that go on.
    func end()
}

extension StoreListener {
    package func observe(_ statement: StatementEvent) { observe(.statement(.init(statement))) }

    package var meter: (any StoreMeter)? { nil }

    package var mayBlock: Bool { false }

    package func begin(_ activity: StoreActivity) -> (any StoreSpan)? { nil }

    package func end() {}
}

/// A receiver of the numbers of work that succeeded. They are passed without an event, which has names and errors.
package protocol StoreMeter: AnyObject, Sendable {
    /// Records statements, on the thread that sent them.
    func record(_ tally: borrowing RoundTripTally)

    /// Records a time in nanoseconds.
    func record(_ measure: WorkMeasure, _ nanoseconds: Int64)

    /// Records a call of `perform`; both times are in nanoseconds.
    func recordUnit(_ isolation: Isolation?, _ time: Int64, queueTime: Int64)

    /// Records a save, with its time in nanoseconds.
    func recordSave(_ time: Int64, objects: Int)
}

/// Times that are recorded by themselves.
package enum WorkMeasure: Sendable { case poolWait, connectionUse }

/// An observer that has a listener for each container.
package protocol PlacedObserver: StoreObserver {
    /// Returns the listener of one store; nil if nothing would receive its events.
    func listener(of place: StorePlace) -> (any StoreListener)?
}

/// Work that has a span, in which the spans of its parts are nested.
package enum StoreActivity: Sendable {
    case unitOfWork(isolation: String)
    case save
    case migration
    /// An evaluation of a followed result, which several requests may share.
    case evaluation(entityName: String)
}

/// The span of a ``StoreActivity``.
package protocol StoreSpan: AnyObject, Sendable {
    /// Runs `body` with the span as the current one.
    func run<T>(_ body: () throws -> T) rethrows -> T

    /// Ends the span, with the error that the work threw.
    func end(_ error: (any Error)?)
}
