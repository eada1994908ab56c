import Howdah
import HowdahTesting
import Logging
import Synchronization
import Testing

/// What becomes of changes that nobody saved.
@Suite(.timeLimit(.minutes(60))) struct UnsavedChangesTests {
    @Test func aOneOffContextDropsThemAndSaysSo() async throws {
        let log = RecordingLog()
        try await CompanyStore.with(options: log.options) { store in
            try await store.container.perform { context in
                Employee(context: context).firstName = "Ada"
            }
            try #expect(store.storedNames().isEmpty)
            let warnings = log.entries.filter { $0.level == .warning }
            #expect(warnings.count == 1)
            #expect(warnings.first?.message.contains("save()") == true)
            #expect(warnings.first?.metadata["inserted"] == "1")
        }
    }

    @Test func savedAndUntouchedContextsAreSilent() async throws {
        let log = RecordingLog()
        try await CompanyStore.with(options: log.options) { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let ada = try context.existingObject(with: id)
                ada.firstName = "Ada"
                try context.save()
            }
            try await store.container.perform { context in
                try context.existingObject(with: id).firstName = "dropped on purpose"
                context.rollback()
            }
            #expect(log.entries.filter { $0.level >= .warning }.isEmpty)
        }
    }

    @Test func aHandleKeepsThem() async throws {
        let log = RecordingLog()
        try await CompanyStore.with(options: log.options) { store in
            let ids = try await store.hire(2)
            let handle = store.container.newBackgroundContext()
            try await handle.perform { context in
                try context.existingObject(with: ids[0]).firstName = "Ada"
                context.delete(try context.existingObject(with: ids[1]))
                Employee(context: context).firstName = "Grace"
            }
            try #expect(store.storedNames() == ["E0", "E1"])
            try await handle.perform { context in
                #expect(context.hasChanges)
                try context.save()
                #expect(!context.hasChanges)
            }
            try #expect(store.storedNames() == ["Ada", "Grace"])
            #expect(log.entries.filter { $0.level >= .warning }.isEmpty)
        }
    }
}

/// Keeps what is logged.
private final class RecordingLog: Sendable {
    struct Entry: Sendable {
        let level: Logger.Level
        let message: String
        let metadata: [String: String]
    }

    private let recorded = Mutex<[Entry]>([])

    var entries: [Entry] { recorded.withLock { $0 } }

    var options: StoreOptions {
        var options = StoreOptions()
        options.logger = Logger(label: "test") { [self] _ in Handler(log: self) }
        return options
    }

    private struct Handler: LogHandler {
        let log: RecordingLog
        var logLevel = Logger.Level.debug
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = (event.metadata ?? [:]).mapValues { "\($0)" }
            log.recorded.withLock {
                $0.append(Entry(level: event.level, message: "\(event.message)", metadata: metadata))
            }
        }
    }
}
