import Howdah
import HowdahModel
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Rows that a row policy shows and does not let change: no conflict, because to try again would not end.
@Suite struct RowPolicyTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Note",
                properties: [
                    .attribute("a", .integer64, default: 0), .attribute("b", .integer64, default: 0),
                ])
        ])
    }

    @Test(arguments: [1, 10], [MergePolicy.MergeType.error, .mergeByPropertyObjectTrump])
    func theErrorIsTheSameInEveryShape(count: Int, type: MergePolicy.MergeType) async throws {
        try await withStore(Self.model()) { container, sql in
            try await container.perform { context in
                for _ in 0..<10 { _ = context.insert("Note") }
                try context.save()
            }
            // A role that every server has, so that none is left behind.
            let role = "pg_signal_backend"
            for statement in [
                "GRANT USAGE ON SCHEMA public TO \(role)",
                "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(role)",
                "GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO \(role)",
                "ALTER TABLE note ENABLE ROW LEVEL SECURITY",
                "CREATE POLICY see ON note FOR SELECT TO \(role) USING (true)",
                "CREATE POLICY change ON note FOR UPDATE TO \(role) USING (_id % 2 = 0)",
            ] { try sql.rows(statement) }
            let name = try #require(try sql.value("SELECT current_database()::text"))
            try sql.rows("ALTER DATABASE \(SQLIdentifier.quoted(name)) SET role = '\(role)'")
            let limited = try await PersistentContainer.open(sql.url, model: Self.model())
            try await limited.closing { limited in
                for inTwoShapes in [false, true] {
                    try await limited.perform { context in
                        context.mergePolicy = MergePolicy(merge: type)
                        let notes = try context.fetch("Note").filter { count > 1 || $0.objectID.key % 2 == 1 }
                        for (index, note) in notes.prefix(count).enumerated() {
                            note[inTwoShapes && index < 5 ? "b" : "a"] = Int64(7)
                        }
                        let error = saveError { try context.save() }
                        #expect(error?.code == .database, "\(String(describing: error))")
                        #expect(error?.message.contains("Rows of Note") == true)
                        #expect(error?.message.contains("row security policy") == true)
                        context.rollback()
                    }
                }
            }
        }
    }
}
