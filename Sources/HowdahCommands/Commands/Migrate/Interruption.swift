import Dispatch
import Foundation
import PQClient
import Synchronization

/// Has SIGINT and SIGTERM cancel what a session does, so that its transaction is rolled back; the second one ends the
/// process.
final class Interruption {
    /// Which signal came.
    private final class Signal: Sendable {
        private let caught = Mutex<Int32?>(nil)

        var number: Int32? { caught.withLock { $0 } }

        /// Whether it is the first.
        func note(_ number: Int32) -> Bool {
            caught.withLock { caught in
                let isFirst = caught == nil
                if isFirst { caught = number }
                return isFirst
            }
        }
    }

    private static let numbers = [SIGINT, SIGTERM]

    private let arrived = Signal()
    private let sources: [any DispatchSourceSignal]

    /// - Parameter told: called with the first signal.
    init(_ canceller: Canceller, _ told: @escaping @Sendable () -> Void) {
        let arrived = arrived
        sources = Self.numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                if arrived.note(number) {
                    told()
                    canceller.cancelUnitOfWork()
                } else {
                    signal(number, SIG_DFL)
                    kill(getpid(), number)
                }
            }
            source.resume()
            return source
        }
    }

    deinit {
        for source in sources { source.cancel() }
        for number in Self.numbers { signal(number, SIG_DFL) }
    }

    /// The signal that came; nil where none did.
    var number: Int32? { arrived.number }
}
