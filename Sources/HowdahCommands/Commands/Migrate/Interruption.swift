import Dispatch
import Foundation
import HowdahMigration
import PQClient
import Synchronization

/// Has SIGINT and SIGTERM cancel what a session does, so that its transaction is rolled back; the second one ends the
/// process.
final class Interruption: Sendable {
    private let caught = Mutex<Int32?>(nil)
    private let sources = Mutex<[any DispatchSourceSignal]>([])

    init(_ canceller: Canceller) {
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [weak self] in
                guard let self, self.note(number) else {
                    signal(number, SIG_DFL)
                    kill(getpid(), number)
                    return
                }
                canceller.cancelUnitOfWork()
            }
            source.resume()
            sources.withLock { $0.append(source) }
        }
    }

    deinit {
        sources.withLock { $0.forEach { $0.cancel() } }
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    }

    /// The signal that came; nil where none did.
    var number: Int32? { caught.withLock { $0 } }

    /// Whether it is the first.
    private func note(_ number: Int32) -> Bool {
        caught.withLock { caught in
            defer { caught = caught ?? number }
            return caught == nil
        }
    }
}
