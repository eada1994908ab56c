import Foundation
import Howdah
import HowdahTesting
import LocalPostgres
import PQClient
import TestSupport
import Testing

/// The description of a store, of one that is open and of one that is not.
@Suite(.timeLimit(.minutes(60))) struct StoreMetadataTests {
    @Test func metadataDescribesAStoreThatIsNotOpen() async throws {
        try await withStore(Notebook.model()) { container, sql in
            let metadata = try await PersistentContainer.metadata(at: sql.url)
            #expect(metadata.storeIdentifier == container.storeIdentifier)
            #expect(
                metadata.storeIdentifier.uuidString.lowercased()
                    == (try sql.value("SELECT store_uuid::text FROM _howdah_store")))
            #expect(metadata.versionChecksum == container.model.versionChecksum)
            #expect(metadata.entityVersionHashes == container.model.entityVersionHashes)
            #expect(metadata.entityVersionHashes.count == 3 && metadata.versionIdentifier == "Notebook 1")
            #expect(abs(metadata.createdAt.timeIntervalSinceNow) < 3_600 && !metadata.usesExistingTables)
            #expect(metadata.entries.isEmpty)
            #expect(try await container.metadata() == metadata)
        }
    }

    @Test func entriesAreSetAndRemovedOneByOne() async throws {
        try await withStore(Notebook.model()) { container, sql in
            let url = sql.url
            let values: [String: MetadataValue] = [
                "text": "it's \"quoted\" \\ back\n🎒", "whole": 1, "large": .integer(.max), "fraction": 1.0,
                "huge": .double(1e300), "tiny": .double(.leastNonzeroMagnitude), "yes": true,
                "list": ["a", 1, 2.5, .null, ["deep": [:]]], "key with 'quotes' \" and \\": "x",
                "empty": "", "$1; DROP TABLE note": "y",
            ]
            try await container.setMetadata(values)
            #expect(try await PersistentContainer.metadata(at: url).entries == values)
            try await PersistentContainer.setMetadata(
                ["text": nil, "whole": 2, "absent": nil, "new": ["a": false]], at: url)
            var expected = values
            expected["text"] = nil
            expected["whole"] = 2
            expected["new"] = ["a": false]
            let metadata = try await container.metadata()
            #expect(metadata.entries == expected && metadata["whole"] == 2 && metadata["text"] == nil)
            // Other programs read them as JSON.
            #expect(
                try sql.value("SELECT value -> 4 -> 'deep' #>> '{}' FROM _howdah_metadata WHERE key = 'list'")
                    == "{}")
        }
    }

    private static func nested(_ levels: Int) -> MetadataValue {
        (0..<levels).reduce(MetadataValue.integer(1)) { value, _ in MetadataValue.array([value]) }
    }

    static let refused: [(String, MetadataValue)] = [
        ("", 1), ("a\u{0}b", 1), (String(repeating: "é", count: 128), 1), ("NSStoreUUID", "x"),
        ("NSStoreModelVersionHashes", [:]), ("howdah.format", 1), ("text", "a\u{0}b"),
        ("member", ["a\u{0}": 1]), ("number", .double(.nan)), ("number", .array([.double(-.infinity)])),
        ("deep", nested(65)),
        ("long", .string(String(repeating: "x", count: 1 << 20))),
    ]

    @Test(arguments: refused.indices)
    func whatCannotBeStoredIsRefusedByName(index: Int) async throws {
        let (key, value) = Self.refused[index]
        try await withStore(Notebook.model()) { container, sql in
            let error = await #expect(throws: StoreError.self) {
                try await container.setMetadata(["good": 1, key: value])
            }
            #expect(error?.code == .invalidMetadata, "\(error.map { "\($0)" } ?? "")")
            #expect(error?.message.utf8.contains(0) == false)
            await #expect(throws: StoreError.self) {
                try await PersistentContainer.setMetadata([key: value], at: sql.url)
            }
            let count = try sql.value("SELECT count(*)::text FROM _howdah_metadata")
            #expect(count == "0")
        }
    }

    @Test func theLimitsThemselvesAreStored() async throws {
        try await withStore(Notebook.model()) { container, _ in
            let key = String(repeating: "é", count: 127) + "k"
            let values: [String: MetadataValue] = [
                key: .string(String(repeating: "x", count: (1 << 20) - 2)),
                "deep": Self.nested(64),
            ]
            try await container.setMetadata(values)
            #expect(try await container.metadata().entries == values)
        }
    }

    /// Equal keys in Swift are one key in the store.
    @Test func keysAreComposed() async throws {
        try await withStore(Notebook.model()) { container, sql in
            try await container.setMetadata(["e\u{301}": 1])
            try await container.setMetadata(["\u{e9}": 2])
            #expect(try await container.metadata().entries == ["\u{e9}": 2])
            #expect(try sql.value("SELECT count(*)::text FROM _howdah_metadata") == "1")
        }
    }

    @Test(.needsSession) func processesThatSetDifferentKeysLoseNone() async throws {
        try await withTestDatabase(for: Notebook.model()) { database in
            var programs: [TenantProgram] = []
            for _ in 0..<3 { programs.append(try await TenantProgram(database.url)) }
            for program in programs { program.say("count metadata") }
            for number in 0..<100 {
                try await PersistentContainer.setMetadata(["mine \(number)": 1], at: database.url)
            }
            for program in programs { #expect(await program.answer() == "done") }
            #expect(try await PersistentContainer.metadata(at: database.url).entries.count == 400)
        }
    }

    @Test func readingNeedsNoModelAndNoRightToWrite() async throws {
        try await withStore(Notebook.model()) { container, sql in
            try await container.setMetadata(["a": 1])
            try await sql.withRole { role in
                try sql.rows("GRANT SELECT ON _howdah_store, _howdah_metadata TO \(role)")
                let url = sql.url(as: role)
                #expect(try await PersistentContainer.metadata(at: url).entries == ["a": 1])
                let error = await #expect(throws: StoreError.self) {
                    try await PersistentContainer.setMetadata(["a": 2], at: url)
                }
                #expect(error?.code == .missingGrant && error?.message.contains("GRANT SELECT") == true)
                #expect(try await container.metadata().entries == ["a": 1])
                try sql.rows("GRANT INSERT, UPDATE, DELETE ON _howdah_metadata TO \(role)")
                try await PersistentContainer.setMetadata(["a": 2], at: url)
                #expect(try await container.metadata().entries == ["a": 2])
            }
        }
    }

    /// Stores of earlier versions have no table for entries.
    @Test func aStoreWithoutTheTableGetsIt() async throws {
        try await withStore(Notebook.model()) { container, sql in
            try sql.rows("DROP TABLE _howdah_metadata")
            #expect(try await container.metadata().entries.isEmpty)
            async let others: Void = withThrowingTaskGroup { group in
                for number in 0..<4 {
                    group.addTask { try await container.setMetadata(["\(number)": 1]) }
                }
                try await group.waitForAll()
            }
            try await others
            #expect(try await container.metadata().entries.count == 4)
        }
    }

    @Test func aSchemaWithoutAStoreHasNoMetadata() async throws {
        let database = try EphemeralPostgres.shared().createDatabase()
        defer { try? database.drop() }
        let options = {
            var options = StoreOptions()
            options.schemaName = "nowhere"
            return options
        }()
        for body in [
            { _ = try await PersistentContainer.metadata(at: database.url, options: options) },
            { try await PersistentContainer.setMetadata(["a": 1], at: database.url, options: options) },
            { try await PersistentContainer.destroyStore(at: database.url, options: options) },
        ] as [@Sendable () async throws -> Void] {
            let error = await #expect(throws: StoreError.self) { try await body() }
            #expect(error?.code == .notAStore && error?.message.contains("'nowhere'") == true)
        }
    }
}
