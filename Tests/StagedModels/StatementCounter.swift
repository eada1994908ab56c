package import Logging
import Synchronization

/// A log that counts the statements that were sent.
package struct StatementCounter: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    package var logLevel = Logger.Level.debug
    private let counter = Counter()

    package init() {}

    /// How many there were until now.
    package var count: Int { counter.count.load(ordering: .relaxed) }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        guard event.isStatement else { return }
        counter.count.add(1, ordering: .relaxed)
    }

    private final class Counter: Sendable {
        let count = Atomic(0)
    }
}
