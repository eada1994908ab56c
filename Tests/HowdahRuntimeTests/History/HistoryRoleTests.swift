import Foundation
import Howdah
import HowdahSchema
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// A role with the rights to change objects writes, reads, acknowledges, keeps and deletes history; one that
/// reads, reads.
struct HistoryRoleTests {
    private static func openedHistory(
        _ rights: String, isReadOnly: Bool = false,
        _ body: (PersistentContainer, PersistentContainer, PlainSQL) async throws -> Void
    ) async throws {
        let model = try Company.model()
        try await withTestDatabase(for: model) { database in
            let url = TestPooler.direct(database.url)
            let sql = PlainSQL(url: url)
            let role = "reader_\(UInt32.random(in: 0...UInt32.max))"
            try sql.rows("CREATE ROLE \(role) LOGIN")
            try sql.rows("REVOKE ALL ON SCHEMA public FROM PUBLIC")
            try sql.rows("GRANT USAGE ON SCHEMA public TO \(role)")
            try sql.rows("GRANT \(rights) ON ALL TABLES IN SCHEMA public TO \(role)")
            try sql.rows("GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO \(role)")
            var options = StoreOptions()
            options.keepsHistory = false
            options.history = .enabled
            let owner = try await PersistentContainer.open(url, model: model, options: options)
            try sql.rows("UPDATE _howdah_history_current SET slot = 0")
            options.history = .asStored
            options.isReadOnly = isReadOnly
            let container = try await PersistentContainer.open(
                url.replacing("user=postgres", with: "user=\(role)"), model: model, options: options)
            do {
                try await body(container, owner, sql)
            } catch {
                await container.close(drainingFor: .zero)
                await owner.close(drainingFor: .zero)
                throw error
            }
            await container.close(drainingFor: .seconds(5))
            await owner.close(drainingFor: .seconds(5))
            try sql.rows("DROP OWNED BY \(role)")
            try sql.rows("DROP ROLE \(role)")
        }
    }

    private static func hire(_ container: PersistentContainer) async throws -> ObjectID<Employee> {
        try await container.perform { context in
            let employee = Employee(context: context)
            employee.firstName = "Ada"
            try context.save()
            return employee.objectID
        }
    }

    @Test func aRoleThatChangesObjectsNeedsNoOtherRights() async throws {
        try await Self.openedHistory("SELECT, INSERT, UPDATE, DELETE") { container, owner, sql in
            let token = try await container.currentHistoryToken()
            let consumer = try await container.historyConsumer("mailer")
            let id = try await Self.hire(container)
            let changes = try await container.perform {
                try $0.execute(HistoryRequest.fetch(after: token, resultType: .changesOnly)).changes
            }
            #expect(changes.map(\.changedObjectID.key) == [id.key] && changes.map(\.changeType) == [.insert])
            var loop = consumer.changes(of: [Employee.self]).makeAsyncIterator()
            let batch = try #require(try await loop.next())
            try await consumer.acknowledge(batch)
            try await container.perform { context in
                try context.withConnection { connection in
                    _ = try HistoryKeeping(context.store).beat(on: connection)
                    try HistoryKeeping(context.store).maintain(on: connection)
                }
            }
            _ = try await container.eraseTombstones(of: [id])
            // A token of an earlier era is rewound without the owner's rights.
            try sql.rows(
                "UPDATE _howdah_history_state SET heartbeat_era = '00000001/5', heartbeat_at = now()")
            let former = HistoryToken(
                store: batch.token.store, incarnation: batch.token.incarnation,
                era: HistoryEra(timeline: 1, start: 5), snapshot: batch.token.snapshot)
            let result = try await container.perform { try $0.execute(HistoryRequest.fetch(after: former)) }
            #expect(result.isAfterFailover)
            try await container.deleteHistory(before: batch.token)
            #expect(try await container.removeHistoryConsumer("mailer"))
            // The slots are the owner's.
            for statement in ["SELECT count(*) FROM _howdah_history_0", "TRUNCATE _howdah_history_1"] {
                await #expect {
                    try await container.perform { context in
                        try context.withConnection { _ = try $0.query(statement) }
                    }
                } throws: { ($0 as? PostgresError)?.sqlState == SQLState.insufficientPrivilege }
            }
        }
    }

    @Test func aRoleThatReadsObjectsReadsTheirHistory() async throws {
        try await Self.openedHistory("SELECT", isReadOnly: true) { container, owner, _ in
            let token = try await container.currentHistoryToken()
            let id = try await Self.hire(owner)
            let result = try await container.perform { try $0.execute(HistoryRequest.fetch(after: token)) }
            #expect(result.transactions.flatMap { $0.changes.map(\.changedObjectID.key) } == [id.key])
            await #expect { _ = try await container.historyConsumer("mailer") } throws: {
                ($0 as? HistoryError)?.code == .database
                    && ($0 as? HistoryError)?.message.contains("Unset isReadOnly") == true
            }
            #expect(try await container.historyStatus().phase == .trusted)
        }
    }
}
