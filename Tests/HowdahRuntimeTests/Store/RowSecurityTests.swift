import Foundation
import Howdah
import HowdahTesting
import Logging
import PQClient
import TestSupport
import Testing

/// Tables with row level security, and with triggers that leave rows out.
@Suite(.timeLimit(.minutes(60))) struct RowSecurityTests {
    private static func with(
        options: StoreOptions = StoreOptions(), _ body: (PersistentContainer, PlainSQL) async throws -> Void
    ) async throws {
        let model = try ManagedObjectModel(SecuredNote.self)
        try await withTestDatabase(for: model) { database in
            let sql = PlainSQL(url: TestPooler.direct(database.url))
            let role = "tenant_of_\(database.name)"
            try sql.rows("CREATE ROLE \(role) LOGIN")
            for grant in [
                "USAGE ON SCHEMA public", "ALL ON ALL TABLES IN SCHEMA public",
                "ALL ON ALL SEQUENCES IN SCHEMA public",
            ] { try sql.rows("GRANT \(grant) TO \(role)") }
            try sql.rows("ALTER TABLE secured_note ENABLE ROW LEVEL SECURITY")
            try sql.rows("CREATE POLICY p ON secured_note USING (number >= 0) WITH CHECK (number >= 0)")
            let container = try await PersistentContainer.open(
                TestPooler.direct(database.url).replacing("user=postgres", with: "user=\(role)"),
                model: model,
                options: options)
            try await body(container, sql)
            await container.close()
            try sql.rows("DROP OWNED BY \(role)")
            try sql.rows("DROP ROLE \(role)")
        }
    }

    @Test("A role under row level security saves many new objects", arguments: [false, true])
    func savesManyObjects(inTransaction: Bool) async throws {
        try await Self.with { container, _ in
            for _ in 1...2 {
                try await container.perform(isolation: inTransaction ? .readCommitted : nil) { context in
                    for number in 0..<1_500 { SecuredNote(context: context).number = number }
                    try context.save()
                    // Its rows have arrays.
                    for _ in 0..<20 { SecuredNote(context: context).words = ["a", "b"] }
                    try context.save()
                }
            }
            #expect(try await container.perform { try $0.count(SecuredNote.self) } == 3_040)
        }
    }

    @Test(
        "A role under row level security inserts batches", arguments: [BatchResultType.count, .objectIDs],
        [false, true])
    func insertsBatches(result: BatchResultType, inTransaction: Bool) async throws {
        try await Self.with { container, _ in
            for _ in 1...2 {
                try await container.perform(isolation: inTransaction ? .readCommitted : nil) { context in
                    let rows = (0..<2_500).map { ["number": $0] }
                    let inserted = try context.execute(
                        BatchInsertRequest(SecuredNote.self, objects: rows, result: result))
                    #expect(inserted.insertedCount == 2_500)
                    #expect(inserted.insertedObjectIDs.count == (result == .objectIDs ? 2_500 : 0))
                }
            }
            #expect(try await container.perform { try $0.count(SecuredNote.self) } == 5_000)
        }
    }

    @Test("The COPY that row level security refuses is logged for debugging", arguments: [false, true])
    func refusedCopiesAreNoWarnings(asBatch: Bool) async throws {
        let log = LogRecorder()
        var options = StoreOptions()
        options.logger = log.logger
        try await Self.with(options: options) { container, _ in
            if asBatch {
                try await container.insert(into: SecuredNote.self, from: (0..<300).map { ["number": $0] })
            } else {
                try await container.perform { context in
                    for number in 0..<300 { SecuredNote(context: context).number = number }
                    try context.save()
                }
            }
            await #expect(throws: SaveError.self) {
                try await container.insert(into: SecuredNote.self, from: [["number": -1]])
            }
        }
        let failed = log.entries.filter { $0.message == "statement failed" }
        let copies = failed.filter { $0.metadata["db.query.text"]?.hasPrefix("COPY") == true }
        #expect(copies.map(\.level) == [.debug])
        // What fails afterwards is a warning.
        #expect(Set(failed.map(\.level)) == [.debug, .warning])
    }

    @Test("A row that a policy refuses is collected", arguments: [MergePolicy.MergeType.error, .overwrite])
    func collectsRowsThatAPolicyRefuses(policy: MergePolicy.MergeType) async throws {
        try await Self.with { container, _ in
            var rows = (0..<300).map { ["number": $0, "code": "\($0)"] as [String: any Sendable] }
            rows[7]["number"] = -1
            let result = try await container.insert(
                into: SecuredNote.self, uniqueness: policy, refusedRows: .collect(upTo: 10), from: rows)
            #expect(result.insertedCount == 299 && result.refused.map(\.row) == [8])
        }
    }

    @Test("Writing a long value that a policy or a trigger leaves out is no conflict")
    func unwrittenValuesAreNoConflict() async throws {
        try await Self.with { container, sql in
            let id = try await container.perform { context in
                let note = SecuredNote(context: context)
                try context.save()
                return note.objectID
            }
            try sql.rows(
                "CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'")
            try sql.rows(
                "CREATE TRIGGER skip BEFORE UPDATE OR INSERT ON secured_note FOR EACH ROW EXECUTE FUNCTION skip()"
            )
            for version in [nil, ObjectVersion("r1")] {
                let error = await #expect(throws: SaveError.self) {
                    try await container.perform { context in
                        try context.writeData(of: id, \.file, from: [Data([1])], version: version)
                    }
                }
                #expect(error?.code == .database && error?.message.contains("trigger") == true)
            }
            // Rows that it leaves out of an insertion are skipped.
            for policy in [RefusedRowPolicy.fail, .collect(upTo: 10)] {
                let result = try await container.insert(
                    into: SecuredNote.self, refusedRows: policy, from: [["number": 1], ["number": 2]])
                #expect(result.insertedCount == 0 && result.skippedCount == 2 && result.refused.isEmpty)
            }
            let error = await #expect(throws: SaveError.self) {
                try await container.perform { context in
                    _ = try context.findOrInsert(SecuredNote.self, by: \.code, "new")
                }
            }
            #expect(error?.code == .database && error?.message.contains("trigger") == true)
        }
    }

    @Test("Rows that a batch insertion collects are logged once")
    func collectedRowsAreLoggedOnce() async throws {
        let model = try ManagedObjectModel(SecuredNote.self)
        let log = LogRecorder()
        var options = StoreOptions()
        options.logger = log.logger
        try await withTestStore(model, options: options) { container in
            let rows = (0..<1_000).map { ["code": "\($0 / 2)"] }
            let result = try await container.insert(
                into: SecuredNote.self, refusedRows: .collect(upTo: 1_000), from: rows)
            #expect(result.refused.count == 500)
            let warnings = log.entries.filter { $0.level >= .warning }
            #expect(warnings.count == 1 && warnings[0].metadata["refused"] == "500")
        }
    }
}

@Entity private final class SecuredNote: ManagedObject {
    var number: Int = 0
    var words: [String]?
    @Attribute(.unique) var code: String?
    var file: Data?
}
