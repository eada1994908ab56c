import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Batch deletions that rights and policies refuse say what is missing.
@Suite(.timeLimit(.minutes(60))) struct DeletionRefusalTests {
    /// Opens a store as a role with the rights on the tables of shelves and books.
    private static func with(
        history: Bool = false, shelves: String, books: String, policy: String? = nil,
        _ body: (PersistentContainer, PlainSQL) async throws -> Void
    ) async throws {
        var options = StoreOptions()
        options.history = history ? .enabled : .asStored
        let model = try ManagedObjectModel(RefusalShelf.self, RefusalBook.self)
        try await withTestDatabase(for: model, options: options) { database in
            let sql = PlainSQL(url: database.url)
            try await sql.withRole { role in
                for grant in [
                    "USAGE ON SCHEMA public", "ALL ON ALL TABLES IN SCHEMA public",
                    "ALL ON ALL SEQUENCES IN SCHEMA public",
                ] { try sql.rows("GRANT \(grant) TO \(role)") }
                for (table, rights) in [("refusal_shelf", shelves), ("refusal_book", books)] {
                    try sql.script(
                        "REVOKE ALL ON \(table) FROM \(role); GRANT \(rights) ON \(table) TO \(role)")
                }
                try sql.script(
                    """
                    INSERT INTO refusal_shelf (_id, _version, number) VALUES (1, 1, 1), (2, 1, 2);
                    INSERT INTO refusal_book (_id, _version, number, shelf) VALUES (3, 1, 1, 1), (4, 1, 2, 2)
                    """)
                if let policy {
                    try sql.script("ALTER TABLE refusal_book ENABLE ROW LEVEL SECURITY; \(policy)")
                }
                let container = try await PersistentContainer.open(
                    sql.url(as: role), model: model, options: options)
                try await container.closing { try await body($0, sql) }
            }
        }
    }

    private static func refusal(_ container: PersistentContainer, number: Int = 1) async -> String {
        let error = await #expect(throws: SaveError.self) {
            try await container.perform { context in
                _ = try context.execute(
                    BatchDeleteRequest(RefusalShelf.self, matching: .format("number == %d", number)))
            }
        }
        #expect(error?.code == .database)
        return error?.message ?? ""
    }

    private static let all = "SELECT, INSERT, UPDATE, DELETE"

    @Test("A batch deletion names the table on which the role lacks UPDATE", arguments: [false, true])
    func namesMissingUpdate(history: Bool) async throws {
        try await Self.with(history: history, shelves: Self.all, books: "SELECT, DELETE") { container, sql in
            let message = await Self.refusal(container)
            #expect(message.contains(#"Grant SELECT and UPDATE on "public"."refusal_book""#), "\(message)")
            #expect(message.contains("Nothing was deleted"))
            let count = try sql.value("SELECT count(*)::text FROM refusal_shelf")
            #expect(count == "2")
        }
        try await Self.with(history: history, shelves: "SELECT, DELETE", books: Self.all) { container, _ in
            let message = await Self.refusal(container)
            #expect(message.contains(#"Grant SELECT and UPDATE on "public"."refusal_shelf""#), "\(message)")
        }
    }

    /// The lock finds more rows than the deletion then deletes. References to the rest must not be cleared.
    @Test(
        "A batch deletion that leaves a locked row changes nothing", arguments: [false, true],
        ["policy", "trigger"])
    func keptRowsKeepTheirReferences(history: Bool, by way: String) async throws {
        try await Self.with(history: history, shelves: Self.all, books: Self.all) { container, sql in
            try sql.script(
                way == "policy"
                    ? """
                    ALTER TABLE refusal_shelf ENABLE ROW LEVEL SECURITY;
                    CREATE POLICY a ON refusal_shelf FOR SELECT USING (true);
                    CREATE POLICY b ON refusal_shelf FOR UPDATE USING (true);
                    CREATE POLICY c ON refusal_shelf FOR DELETE USING (number <> 1)
                    """
                    : """
                    CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
                    CREATE TRIGGER keep BEFORE DELETE ON refusal_shelf FOR EACH ROW WHEN (OLD.number = 1)
                        EXECUTE FUNCTION keep()
                    """)
            let message = await Self.refusal(container)
            #expect(message.contains("keeps a row that the batch deletion should delete"), "\(message)")
            let books =
                "SELECT string_agg(concat(number, ' ', shelf, ' ', _version), ', ' ORDER BY number) FROM refusal_book"
            #expect(try sql.value(books) == "1 1 1, 2 2 1")
            // Rows that nothing keeps are deleted.
            let count = try await container.perform { context in
                try context.execute(
                    BatchDeleteRequest(RefusalShelf.self, matching: .format("number == 2"))
                ).count
            }
            #expect(count == 1)
            #expect(try sql.value(books) == "1 1 1, 2  2")
        }
    }

    @Test("A batch deletion names the table on which the role lacks DELETE")
    func namesMissingDelete() async throws {
        try await Self.with(shelves: "SELECT, UPDATE", books: Self.all) { container, _ in
            let message = await Self.refusal(container)
            #expect(message.contains(#"Grant SELECT and DELETE on "public"."refusal_shelf""#), "\(message)")
        }
        try await Self.with(shelves: Self.all, books: "SELECT") { container, _ in
            let error = await #expect(throws: SaveError.self) {
                try await container.perform { try $0.execute(BatchDeleteRequest(RefusalBook.self)).count }
            }
            let message = error?.message ?? ""
            #expect(message.contains(#"Grant SELECT and DELETE on "public"."refusal_book""#), "\(message)")
        }
    }

    @Test("A policy that refuses cleared rows is described in the words of a deletion")
    func policiesAreDescribed() async throws {
        let policy =
            "CREATE POLICY p ON refusal_book USING (true) WITH CHECK (number <> 1 OR shelf IS NOT NULL)"
        try await Self.with(shelves: Self.all, books: Self.all, policy: policy) { container, sql in
            let message = await Self.refusal(container)
            #expect(
                message
                    == #"A row security policy of "public"."refusal_book" refused a row whose relationship "#
                    + "to a deleted object is cleared. Nothing was deleted. Set another object in that row "
                    + "first, or change the policy.")
            let count = try await container.perform { context in
                try context.execute(BatchDeleteRequest(RefusalShelf.self, matching: .format("number == 2")))
                    .count
            }
            #expect(count == 1)
            #expect(try sql.rows("SELECT _version::text FROM refusal_book ORDER BY _id") == [["1"], ["2"]])
        }
    }
}

@Entity private final class RefusalShelf: ManagedObject {
    var number: Int = 0
    @Relationship(deleteRule: .nullify, inverse: "shelf") var books: ToMany<RefusalBook>
}

@Entity private final class RefusalBook: ManagedObject {
    var number: Int = 0
    @Relationship(inverse: "books") var shelf: RefusalShelf?
}
