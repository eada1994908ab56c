import Howdah
import HowdahTesting
import Logging
import PQClient
import StagedModels
import Synchronization
import TestSupport
import Testing

/// An opening that migrates waits for locks as long as its options say, and logs the session that holds them.
@Suite(.needsSession) struct OpeningPatienceTests {
    private struct Notices: LogHandler {
        var metadata: Logger.Metadata = [:]
        var metadataProvider: Logger.MetadataProvider?
        var logLevel = Logger.Level.notice
        let texts: Texts

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { texts.all.withLock { $0.append("\(event.message)") } }
    }

    private final class Texts: Sendable {
        let all = Mutex<[String]>([])
    }

    private static func options(_ texts: Texts) -> StoreOptions {
        var options = StoreOptions()
        options.migrationLockTimeout = .milliseconds(50)
        options.migrationLockBudget = .milliseconds(600)
        options.logger = Logger(label: "patience") { _ in Notices(texts: texts) }
        return options
    }

    @Test(arguments: [
        "LOCK TABLE _howdah_store IN SHARE MODE",
        "SELECT pg_advisory_lock(hashtextextended('howdah:public', 0))",
    ])
    func theHolderIsLoggedOnce(_ lock: String) async throws {
        try await LogbookStore.with { store in
            let holder = try Connection(ConnectionConfiguration(store.url))
            defer { holder.close() }
            let texts = Texts()
            let table = try #require(
                try store.sql.value(
                    "SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace "
                        + "AND relname NOT LIKE '\\_howdah%' ORDER BY 1 LIMIT 1"))
            try holder.executeScript(
                "BEGIN; \(lock.replacing("_howdah_store", with: SQLIdentifier.quoted(table)))")
            let error = await #expect(throws: StoreError.self) {
                try await store.open(options: Self.options(Texts())).close()
            }
            let session = "session \(holder.backendProcessID)"
            #expect(error?.message.contains(session) == true, "\(error as Any)")
            func told() -> Int { texts.all.withLock { $0.count { $0.contains(session) } } }
            var options = Self.options(texts)
            options.migrationLockBudget = .seconds(3_600)
            async let opened = store.open(options: options)
            while told() == 0 { try await Task.sleep(for: .milliseconds(5)) }
            // Some more attempts fail.
            try await Task.sleep(for: .milliseconds(500))
            try holder.executeScript("ROLLBACK; SELECT pg_advisory_unlock_all()")
            try await opened.close()
            #expect(told() == 1)
        }
    }

    @Test func aTimeIsPositive() async throws {
        try await LogbookStore.with { store in
            var options = StoreOptions()
            options.migrationLockBudget = .zero
            let error = await #expect(throws: StoreError.self) {
                try await store.open(options: options).close()
            }
            #expect(error?.code == .invalidOptions, "\(error as Any)")
        }
    }
}
