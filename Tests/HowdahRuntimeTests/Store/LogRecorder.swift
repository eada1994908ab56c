import Logging
import Synchronization

/// Keeps what is logged, for tests that look at it.
final class LogRecorder: Sendable {
    struct Entry: Sendable {
        let level: Logger.Level
        let message: String
        let metadata: [String: String]
    }

    private let recorded = Mutex<[Entry]>([])

    var entries: [Entry] { recorded.withLock { $0 } }

    /// A logger at debug level whose entries end here.
    var logger: Logger {
        var logger = Logger(label: "recorder") { _ in Handler(recorder: self) }
        logger.logLevel = .debug
        return logger
    }

    /// A logger that also gets the metadata of the task that logs.
    func logger(providing provider: Logger.MetadataProvider) -> Logger {
        var logger = Logger(label: "recorder") { _ in Handler(recorder: self, metadataProvider: provider) }
        logger.logLevel = .debug
        return logger
    }

    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var metadataProvider: Logger.MetadataProvider?
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let entry = Entry(
                level: event.level, message: "\(event.message)",
                metadata: (event.metadata ?? [:])
                    .merging(metadataProvider?.get() ?? [:]) { own, _ in own }.mapValues { "\($0)" })
            recorder.recorded.withLock { $0.append(entry) }
        }
    }
}
