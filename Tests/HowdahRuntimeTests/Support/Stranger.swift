import Foundation
import PQClient
import Synchronization
import TestSupport

/// A session of somebody else, on a thread of its own, in a transaction until it ends.
final class Stranger: Sendable {
    private let inbox = Inbox()
    private let isDone = DispatchSemaphore(value: 0)

    private final class Inbox: Sendable {
        private let lines = Mutex<[String?]>([])
        private let arrived = DispatchSemaphore(value: 0)

        func put(_ line: String?) {
            lines.withLock { $0.append(line) }
            arrived.signal()
        }

        func take() -> String? {
            arrived.wait()
            return lines.withLock { $0.removeFirst() }
        }
    }

    init(_ url: String, _ first: String) throws {
        let isReady = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [inbox, isDone] in
            defer { isDone.signal() }
            guard let connection = try? Connection(ConnectionConfiguration(TestPooler.direct(url))) else {
                isReady.signal()
                return
            }
            try? connection.begin()
            _ = try? connection.query(first, cached: false)
            isReady.signal()
            while let line = inbox.take() { _ = try? connection.query(line, cached: false) }
            connection.close()
        }
        isReady.wait()
    }

    func run(_ sql: String) { inbox.put(sql) }

    func end() {
        inbox.put(nil)
        isDone.wait()
    }
}
