import Foundation
import HowdahModel
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// What saves of all kinds write to the history, in which statements and round trips.
@Suite struct SaveHistoryTests {
    @Test func loneInsertionIsOneStatement() async throws {
        try await withHistory(Company.model()) { container, sql in
            try await container.perform { context in
                // Draws the keys of a block.
                _ = try Self.department("Sales", context).also { try context.save() }
                container.statementLog.start()
                let other = try Self.department("Legal", context).also { try context.save() }
                #expect(container.statementLog.events.count == 1)
                #expect(container.statementLog.count == 1)
                let rows = try sql.history()
                #expect(rows.count == 2)
                #expect(rows.last?.description == "insert Department [\(other.key)] *")
                #expect(rows.last?.part == 0 && rows.last?.origin == 0)
            }
        }
    }

    @Test func loneUpdateIsOneStatementAlsoWithBothEnds() async throws {
        try await withHistory(Company.model()) { container, sql in
            let ids = try await container.perform { context in
                let (one, two) = (Self.department("A", context), Self.department("B", context))
                let ada = Employee(context: context)
                ada.firstName = "Ada"
                ada.department = one
                try context.save()
                return [one.key, two.key, ada.key]
            }
            let before = try sql.history().last?.number ?? 0
            try await container.perform { context in
                let ada = try #require(try context.fetch(Employee.self).first)
                ada.firstName = "Ada Lovelace"
                container.statementLog.start()
                try context.save()
                #expect(container.statementLog.events.count == 1)
                #expect(
                    try sql.history(after: before).map(\.description) == [
                        "update Employee [\(ids[2])] firstName"
                    ])
                let moved = try sql.history().last?.number ?? 0
                ada.department = try context.fetch(Department.self).first { $0.name == "B" }
                container.statementLog.start()
                try context.save()
                #expect(container.statementLog.events.count == 1)
                let rows = try sql.history(after: moved)
                #expect(
                    Set(rows.map(\.description)) == [
                        "update Employee [\(ids[2])] department",
                        "update Department [\(ids[0]), \(ids[1])] employees",
                    ])
                #expect(Set(rows.map(\.number)).count == 1 && rows.map(\.part) == [0, 1])
            }
        }
    }

    /// A row of another version is not written, and neither is its history.
    @Test func missLeavesNoHistory() async throws {
        try await withHistory(Company.model()) { container, sql in
            try await container.perform { context in
                let department = Self.department("Sales", context)
                try context.save()
                try sql.script("UPDATE department SET _version = 7")
                department.name = "Legal"
                let error = saveError { try context.save() }
                #expect(error?.code == .conflict)
                #expect(try sql.history().count == 1)
            }
        }
    }

    /// Control for A7: the first design wrote a row of history for each stored row.
    @Test(arguments: [8, 20, 127]) func arrayIsOneRow(count: Int) async throws {
        try await withHistory(Company.model()) { container, sql in
            try await container.perform { context in
                for number in 0..<count { Self.department("D\(number)", context) }
                container.statementLog.start()
                try context.save()
                #expect(container.statementLog.count == 1)
                let rows = try sql.history()
                #expect(rows.map(\.ids.count) == [count])
                #expect(rows.first.map { $0.ids == $0.ids.sorted() } == true)
            }
            // The text as it was designed.
            try sql.script(
                """
                CREATE TABLE control (id bigint);
                WITH saved AS (INSERT INTO control SELECT generate_series(1, 3) RETURNING 1),
                history AS (INSERT INTO _howdah_history (slot, number, part, origin, entity, kind, ids)
                    SELECT 0, nextval('_howdah_history_number'), 0, 0, 'Control', 0, '{1,2,3}' FROM saved)
                SELECT * FROM saved
                """)
            #expect(try sql.history().filter { $0.entity == "Control" }.count == 3)
        }
    }

    @Test(arguments: [200, 2_500]) func copyIsOneNumber(count: Int) async throws {
        try await withHistory(Company.model()) { container, sql in
            try await container.perform { context in
                for number in 0..<count { Self.department("D\(number)", context) }
                container.statementLog.start()
                try context.save()
                let rows = try sql.history()
                #expect(rows.map(\.ids.count).reduce(0, +) == count)
                #expect(rows.allSatisfy { $0.ids.count <= 1_000 } && Set(rows.map(\.number)).count == 1)
                #expect(rows.map(\.part) == Array(0..<rows.count))
                // The COPY, between two round trips as without history.
                #expect(container.statementLog.events.map(\.sql).last == "COMMIT")
            }
        }
    }

    @Test func deletionTellsCascadesAndNullifications() async throws {
        try await withHistory(Company.model()) { container, sql in
            let keys = try await container.perform { context in
                let sales = Self.department("Sales", context)
                let ada = Employee(context: context)
                ada.firstName = "Ada"
                ada.department = sales
                sales.head = ada
                let room = Room(context: context)
                room.number = 1
                room.department = sales
                try context.save()
                return [sales.key, ada.key, room.key]
            }
            let before = try sql.history().last?.number ?? 0
            try await container.perform { context in
                // Nothing else is loaded.
                let sales = try #require(try context.fetch(Department.self).first)
                context.delete(sales)
                try context.save()
            }
            #expect(
                try Set(sql.history(after: before).map(\.description)) == [
                    "delete Department [\(keys[0])] *", "delete Room [\(keys[2])] *",
                    "update Employee [\(keys[1])] department,heads",
                ])
        }
    }

    @Test func transactionOfSavesIsOneNumber() async throws {
        try await withHistory(Company.model()) { container, sql in
            container.transactionAuthor = "api"
            try await container.perform(isolation: .readCommitted) { context in
                context.name = "import"
                let (sales, legal) = (Self.department("Sales", context), Self.department("Legal", context))
                let board = Self.department("Board", context)
                try context.save()
                sales.name = "Sales 2"
                context.delete(board)
                try context.save()
                #expect(try sql.history() == [])
                // A savepoint that is rolled back leaves nothing.
                legal.name = "Sales 2"
                let error = saveError { try context.save() }
                #expect(error?.code == .uniqueness)
                legal.name = "Legal 2"
                container.statementLog.start()
                try context.save()
            }
            let end = container.statementLog.events.suffix(2).map(\.sql)
            #expect(end.last == "COMMIT" && end.first?.contains("_howdah_history") == true)
            let rows = try sql.history()
            #expect(rows.map(\.kind) == [0] && rows.first?.ids.count == 2)
            #expect(try sql.rows("SELECT author, context FROM _howdah_history") == [["api", "import"]])
            await #expect(throws: CancellationError.self) {
                try await container.perform(isolation: .serializable) { context in
                    Self.department("Never", context)
                    try context.save()
                    throw CancellationError()
                }
            }
            #expect(try sql.history().count == 1)
        }
    }

    /// PostgreSQL refuses U+0000 in texts. A name must not make a save fail.
    @Test(arguments: [false, true]) func namesWithNullCharactersAreRecorded(isNested: Bool) async throws {
        try await withHistory(Company.model()) { container, sql in
            container.transactionAuthor = "a\0b"
            try await container.perform(isolation: isNested ? .readCommitted : nil) { context in
                context.name = "\0"
                Self.department("Sales", context)
                try context.save()
                try context.execute(BatchUpdateRequest(Department.self, set: ["budget": 3]))
            }
            let rows = try sql.rows("SELECT DISTINCT author, context FROM _howdah_history")
            #expect(rows == [["a\u{FFFD}b", "\u{FFFD}"]])
            // A filter with such a name finds what was recorded.
            let counts = try await container.perform { context in
                try [
                    HistoryFilter(author: "a\0b"), HistoryFilter(contextName: .any("x", "\0")),
                    HistoryFilter(author: .not("a\0b")), HistoryFilter(processID: "\0"),
                ].map { filter in
                    try context.execute(HistoryRequest.fetch(after: nil, where: filter)).count
                }
            }
            #expect(counts == [isNested ? 1 : 2, isNested ? 1 : 2, 0, 0])
        }
    }

    /// Control for A16: without the row of the slot, every form fails, and nothing is saved.
    @Test func missingSlotFailsEverySave() async throws {
        try await withHistory(Company.model()) { container, sql in
            try sql.script("DELETE FROM _howdah_history_current")
            for count in [1, 3, 20, 200] {
                try await container.perform { context in
                    for number in 0..<count { Self.department("D\(number)", context) }
                    let error = saveError { try context.save() }
                    #expect(error?.databaseError?.sqlState == SQLState.checkViolation, "\(count)")
                }
                await #expect(throws: SaveError.self) {
                    try await container.perform(isolation: .readCommitted) { context in
                        for number in 0..<count { Self.department("D\(number)", context) }
                        try context.save()
                    }
                }
            }
            #expect(try sql.value("SELECT count(*)::text FROM department") == "0")
            // The text as it was designed: nothing is written, and it succeeds.
            #expect(
                try sql.rows(
                    """
                    INSERT INTO _howdah_history (slot, number, part, origin, entity, kind, ids)
                    SELECT coalesce(slot, 0), 1, 0, 0, 'Control', 0, '{}' FROM _howdah_history_current RETURNING entity
                    """) == [])
        }
    }

    /// Without history, the texts and the numbers of statements are the same as before.
    ///
    /// Behind a pooler, each save looks for its store first.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["HOWDAH_TEST_POOLER"] == nil))
    func withoutHistoryNothingIsDifferent() async throws {
        try await withStore(Company.model()) { container, _ in
            try await container.perform { context in
                let sales = Self.department("Sales", context)
                container.statementLog.start()
                try context.save()
                sales.name = "Legal"
                try context.save()
                context.delete(sales)
                try context.save()
            }
            let texts = container.statementLog.events.map(\.sql)
            #expect(!texts.contains { $0.contains("_howdah_history") || $0.contains("howdah.history") })
            #expect(
                texts.contains(
                    "UPDATE \"public\".\"department\" SET \"name\" = $1, \"_version\" = \"_version\" + 1 "
                        + "WHERE \"_id\" = $2 AND \"_version\" = $3"))
        }
    }

    /// While triggers look for programs without history, each transaction says that it writes its own.
    @Test func marksItsTransactions() async throws {
        try await withHistory(Company.model(), marksSaves: true) { container, sql in
            try sql.script(
                """
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                    $$BEGIN RAISE EXCEPTION USING ERRCODE = '55000', MESSAGE = 'restart'; END$$;
                CREATE TRIGGER guard BEFORE INSERT OR UPDATE OR DELETE ON department FOR EACH STATEMENT
                    WHEN (current_setting('howdah.history', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION refuse()
                """)
            try await container.perform { context in
                let sales = Self.department("Sales", context)
                try context.save()
                sales.name = "Legal"
                container.statementLog.start()
                try context.save()
                #expect(container.statementLog.events.count == 2 && container.statementLog.count == 1)
                for number in 0..<20 { Self.department("D\(number)", context) }
                for number in 0..<200 { Self.department("E\(number)", context) }
                try context.save()
                // The program's own SQL never runs with the setting.
                #expect(throws: FetchError.self) {
                    try context.fetchRows(
                        String.self, sql: "UPDATE department SET name = name || '!' RETURNING name")
                }
            }
            try await container.perform(isolation: .readCommitted) { context in
                Self.department("Nested", context)
                try context.save()
                let setting = try context.fetchRows(
                    String.self, sql: "SELECT current_setting('howdah.history', true)")
                #expect(setting == [""])
            }
            #expect(throws: PostgresError.self) { try sql.script("DELETE FROM department") }
        }
    }

    @discardableResult
    private static func department(_ name: String, _ context: ManagedObjectContext) -> Department {
        let department = Department(context: context)
        department.name = name
        return department
    }
}

extension Department {
    fileprivate func also(_ body: () throws -> Void) rethrows -> Department {
        try body()
        return self
    }
}
