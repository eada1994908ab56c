package import Logging
import Synchronization

/// A log that does something when a number of statements were sent.
package struct DeathAfterStatements: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    package var logLevel = Logger.Level.debug
    private let counter: Counter

    /// `death` runs on the thread that sent the statement, once the server has answered it.
    package init(after count: Int, _ death: @escaping @Sendable () -> Void) {
        counter = Counter(count, death)
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        guard event.isStatement else { return }
        counter.note()
    }

    private final class Counter: Sendable {
        private let left: Atomic<Int>
        private let death: @Sendable () -> Void

        init(_ count: Int, _ death: @escaping @Sendable () -> Void) {
            left = Atomic(count)
            self.death = death
        }

        func note() {
            if left.subtract(1, ordering: .relaxed).newValue == 0 { death() }
        }
    }
}
