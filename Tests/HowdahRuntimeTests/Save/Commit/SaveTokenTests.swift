import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// What tokens cost, and how they come and go.
@Suite struct SaveTokenTests {
    private static var options: StoreOptions {
        var options = StoreOptions()
        options.resolvesLostCommits = true
        return options
    }

    @Test func aTokenCostsNoRoundTrip() async throws {
        try await withStore(Company.model(), options: Self.options) { container, sql in
            let log = container.statementLog
            try await container.perform { context in
                let ada = Employee(context: context)
                ada.firstName = "Ada"
                try context.save()
                // An update of one row remains one statement, without BEGIN and COMMIT.
                log.start()
                ada.lastName = "Byron"
                try context.save()
                #expect(log.events.count == 1 && log.events[0].batchIndex == nil)
                // New rows take their token along in the one round trip there is.
                log.start()
                Employee(context: context).firstName = "Grace"
                try context.save()
                // Behind a pooler a look for the store goes along.
                let looks = TestPooler.mode == .transaction ? 1 : 0
                #expect(log.events.map(\.batchIndex) == Array(0..<6 + looks))
                #expect(
                    log.events[1 + looks].sql.contains("_howdah_save") && log.events.last?.sql == "COMMIT")
                context.delete(ada)
                log.start()
                try context.save()
                #expect(log.events.filter { $0.sql.contains("_howdah_save") }.count == 1)
            }
            #expect(try sql.value("SELECT count(*)::text FROM _howdah_save WHERE is_stored") == "4")
            try await container.perform(isolation: .serializable) { context in
                log.start()
                Employee(context: context).firstName = "Joan"
                try context.save()
                #expect(log.events.allSatisfy { !$0.sql.contains("_howdah_save") })
                log.start()
            }
            // The token and COMMIT, in one batch.
            #expect(log.events.map(\.batchIndex) == [0, 1])
            #expect(try sql.value("SELECT count(*)::text FROM _howdah_save WHERE is_stored") == "5")
            // Reading leaves nothing.
            try await container.perform(isolation: .serializable) { _ = try $0.fetch(Employee.self) }
            #expect(try sql.value("SELECT count(*)::text FROM _howdah_save") == "5")
        }
    }

    @Test func withoutTheOptionNothingIsLeft() async throws {
        try await withStore(Company.model()) { container, sql in
            try await container.perform { context in
                container.statementLog.start()
                Employee(context: context).firstName = "Ada"
                try context.save()
                #expect(container.statementLog.events.allSatisfy { !$0.sql.contains("_howdah_save") })
            }
            #expect(try sql.value("SELECT count(*)::text FROM _howdah_save") == "0")
        }
    }

    /// A row in another version leaves no token: were the answer lost, the save would be taken for stored.
    @Test func aMissedRowLeavesNoToken() async throws {
        try await withStore(Company.model(), options: Self.options) { container, sql in
            try await container.perform { context in
                let ada = Employee(context: context)
                ada.firstName = "Ada"
                try context.save()
                try sql.rows("DELETE FROM _howdah_save")
                try sql.rows("UPDATE employee SET first_name = 'other', _version = _version + 1")
                ada.lastName = "Byron"
                #expect(saveError { try context.save() }?.code == .conflict)
                #expect(try sql.value("SELECT count(*)::text FROM _howdah_save") == "0")
                context.refresh(ada)
                ada.lastName = "Byron"
                try context.save()
                #expect(try sql.value("SELECT count(*)::text FROM _howdah_save") == "1")
            }
        }
    }

    /// Old tokens go with saves, also while somebody holds some of them, and recent ones stay.
    @Test(.timeLimit(.minutes(60))) func oldTokensArePurgedInPassing() async throws {
        try await withStore(Company.model(), options: Self.options) { container, sql in
            let old = UUID(timeOrderedAt: .now.addingTimeInterval(-3 * 86_400)).uuidString.prefix(18)
            try sql.rows(
                """
                INSERT INTO _howdah_save (token, saved_at)
                SELECT ('\(old)-8000-' || lpad(to_hex(n), 12, '0'))::uuid, now() - interval '3 days'
                FROM generate_series(1, 200) n
                """)
            let holder = try Connection(ConnectionConfiguration(sql.url))
            defer { holder.close() }
            try holder.begin()
            _ = try holder.query(
                "SELECT 1 FROM _howdah_save WHERE token = (SELECT min(token::text)::uuid FROM _howdah_save) FOR UPDATE"
            )
            let saves = 140
            try await container.perform { context in
                let ada = Employee(context: context)
                ada.firstName = "Ada"
                for number in 1...saves {
                    // One row and several in turn: both ways purge.
                    ada.visits = number
                    if number > 100 { Employee(context: context).firstName = "\(number)" }
                    try context.save()
                }
            }
            let left = try sql.rows(
                "SELECT count(*)::text, count(*) FILTER (WHERE saved_at < now() - interval '1 day')::text FROM _howdah_save"
            )
            #expect(left == [["\(saves + 1)", "1"]])
        }
    }

    @Test func storesWithoutTheTableSayWhatToRun() async throws {
        try await withStore(Company.model()) { container, sql in
            try sql.rows("DROP TABLE _howdah_save")
            let error = await #expect(throws: StoreError.self) {
                try await PersistentContainer.open(sql.url, model: container.model, options: Self.options)
            }
            #expect(error?.code == .schemaMismatch)
            let message = try #require(error?.message)
            let start = try #require(message.range(of: "CREATE TABLE"))
            try sql.rows(String(message[start.lowerBound...]))
            let again = try await PersistentContainer.open(
                sql.url, model: container.model, options: Self.options)
            try await again.perform { context in
                Employee(context: context).firstName = "Ada"
                try context.save()
            }
            await again.close()
            #expect(try sql.value("SELECT count(*)::text FROM _howdah_save") == "1")
        }
    }

    @Test func tokensAreInTheOrderOfTime() {
        let start = Date(timeIntervalSince1970: 1_700_000_000)
        let tokens = (0..<100).map { UUID(timeOrderedAt: start.addingTimeInterval(Double($0) / 500)) }
        #expect(tokens.map(\.uuidString) == tokens.map(\.uuidString).sorted())
        #expect(tokens.allSatisfy { $0.uuidString.dropFirst(14).first == "7" })
        #expect(tokens.allSatisfy { "89AB".contains($0.uuidString.dropFirst(19).prefix(1)) })
        #expect(Set((0..<1_000).map { _ in UUID(timeOrderedAt: start) }).count == 1_000)
        #expect(abs(tokens[50].timeOrderedDate.timeIntervalSince(start) - 0.1) < 0.002)
    }
}
