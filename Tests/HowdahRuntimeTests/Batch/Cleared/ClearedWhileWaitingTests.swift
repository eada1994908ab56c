import Howdah
import HowdahModel
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Batch deletions that wait for sessions which refer rows to the deleted ones.
@Suite(.timeLimit(.minutes(60))) struct ClearedWhileWaitingTests {
    /// A museum in a city, a room in none, and a wing of the museum.
    nonisolated(nonsending) static func with(
        history: Bool = false, _ body: (PersistentContainer, PlainSQL) async throws -> Void
    ) async throws {
        var options = StoreOptions()
        options.history = history ? .enabled : .asStored
        let model = try ManagedObjectModel(ClearedCity.self, ClearedMuseum.self, ClearedRoom.self)
        try await withStore(model, options: options) { container, sql in
            try await container.perform { context in
                let city = ClearedCity(context: context)
                let (museum, wing) = (ClearedMuseum(context: context), ClearedMuseum(context: context))
                (museum.number, wing.number) = (1, 2)
                (museum.city, wing.whole) = (city, museum)
                ClearedRoom(context: context).number = 1
                try context.save()
            }
            try await body(container, sql)
        }
    }

    /// What another session does to the room, as a save would.
    static func referring(to museum: Int) -> String {
        "UPDATE cleared_room SET _version = _version + 1, "
            + "museum = (SELECT _id FROM cleared_museum WHERE number = \(museum))"
    }

    private static let deletions: [@Sendable (ManagedObjectContext) throws -> Int] = [
        { try $0.execute(BatchDeleteRequest(ClearedMuseum.self, matching: .format("number == 1"))).count },
        {
            let format = PredicateTree.format("number == 1 AND city.number == 0")
            return try $0.execute(BatchDeleteRequest(ClearedMuseum.self, matching: format)).count
        },
        {
            var request = FetchRequest<ClearedMuseum>()
            request.predicate = .format("number == 1")
            (request.fetchLimit, request.sortDescriptors) = (1, [.ascending(\.number)])
            return try $0.execute(BatchDeleteRequest(request)).count
        },
        { try $0.execute(BatchDeleteRequest(ClearedCity.self)).count },
    ]

    @Test(
        "A row that another session refers to a deleted row meanwhile gets another version",
        arguments: [0, 1, 2, 3], [(false, false), (false, true), (true, false), (true, true)])
    func rowsOfOthersGetAnotherVersion(form: Int, _ store: (history: Bool, inTransaction: Bool)) async throws
    {
        // The museum itself, by three forms of the request, and by a cascade; the wing by two cascades.
        for museum in form == 3 ? [1, 2] : [1] {
            try await Self.with(history: store.history) { container, sql in
                let count = try await sql.committing(Self.referring(to: museum)) {
                    try await container.perform(isolation: store.inTransaction ? .readCommitted : nil) {
                        try Self.deletions[form]($0)
                    }
                }
                #expect(count == 1)
                let row = "SELECT museum::text, _version::text FROM cleared_room"
                #expect(try sql.rows(row) == [[nil, "3"]])
                if !store.history { return }
                let change =
                    "SELECT count(*)::text FROM _howdah_history WHERE entity = 'ClearedRoom' AND kind = 1 "
                    + "AND 'museum' = ANY(properties)"
                #expect(try sql.value(change) == "1")
            }
        }
    }

    @Test("A deletion of a snapshot that the other session's commit makes stale is a serialization failure")
    func staleSnapshotsFail() async throws {
        try await Self.with { container, sql in
            let error = try await sql.committing(Self.referring(to: 1)) {
                await #expect(throws: SaveError.self) {
                    try await container.perform(isolation: .repeatableRead) { try Self.deletions[0]($0) }
                }
            }
            #expect(error?.code == .serializationFailure)
            #expect(try sql.value("SELECT _version::text FROM cleared_room WHERE museum IS NOT NULL") == "2")
        }
    }

    @Test("A session that refers to a deleted row after its lock waits, and is refused")
    func laterReferencesAreRefused() async throws {
        try await Self.with { container, sql in
            let url = TestPooler.direct(sql.url)
            try await container.perform(isolation: .readCommitted) { context in
                #expect(try Self.deletions[0](context) == 1)
                let other = try Connection(ConnectionConfiguration(url))
                defer { other.close() }
                try other.executeScript("SET lock_timeout = '50ms'")
                let error = #expect(throws: PostgresError.self) {
                    try other.executeScript(Self.referring(to: 1))
                }
                #expect(error?.sqlState == SQLState.lockNotAvailable)
            }
            #expect(try sql.value("SELECT _version::text FROM cleared_room WHERE museum IS NULL") == "1")
        }
    }

    /// The cascade has found the tag by a link that is gone when the lock is granted.
    @Test(
        "A batch deletion is repeated if another session removes the link of a cascade meanwhile",
        arguments: [false, true])
    func removedLinksKeepTheirReferences(inTransaction: Bool) async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Gallery",
                properties: [
                    .relationship(
                        "labels", to: "Label", inverse: "galleries", toMany: true, deleteRule: .cascade,
                        userInfo: [MappingKey.deleteTrigger: "YES"])
                ]),
            EntityDescription(
                "Label",
                properties: [
                    .relationship("galleries", to: "Gallery", inverse: "labels", toMany: true),
                    .relationship("frames", to: "Frame", inverse: "label", toMany: true),
                ]),
            EntityDescription("Frame", properties: [.relationship("label", to: "Label", inverse: "frames")]),
        ])
        try await withStore(model) { container, sql in
            try await container.perform { context in
                let (label, frame) = (context.insert("Label"), context.insert("Frame"))
                label["galleries"] = [context.insert("Gallery")]
                frame["label"] = label
                try context.save()
            }
            let removal = "DELETE FROM gallery_labels; UPDATE label SET _version = _version + 1"
            let code = try await sql.committing(removal) {
                do {
                    try await container.perform(isolation: inTransaction ? .readCommitted : nil) { context in
                        _ = try context.execute(
                            BatchDeleteRequest(FetchRequest<ManagedObject>(entityName: "Gallery")))
                    }
                    return nil as SaveError.Code?
                } catch let error as SaveError {
                    return error.code
                }
            }
            #expect(code == (inTransaction ? .serializationFailure : nil))
            #expect(
                try sql.rows("SELECT (label IS NOT NULL)::text, _version::text FROM frame") == [
                    ["true", "1"]
                ])
            #expect(try sql.value("SELECT count(*)::text FROM gallery") == (inTransaction ? "1" : "0"))
        }
    }

    @Test("A batch deletion finds the rows to clear by the foreign key's index, before ANALYZE")
    func indexIsUsedWithoutStatistics() async throws {
        try await Self.with { container, sql in
            try sql.script(
                """
                ALTER TABLE cleared_room SET (autovacuum_enabled = off);
                INSERT INTO cleared_room (_id, _version, number, museum)
                SELECT n, 1, n, NULL FROM generate_series(100000, 150000) n
                """)
            container.statementLog.start()
            try await container.perform { _ = try Self.deletions[0]($0) }
            let clearing = container.statementLog.statements.filter { $0.sql.contains("UPDATE") }
                .map(\.sql).filter { $0.contains("found0") }
            #expect(clearing.count == 1)
            for statement in clearing {
                let connection = try Connection(ConnectionConfiguration(TestPooler.direct(sql.url)))
                defer { connection.close() }
                try connection.executeScript("PREPARE clearing(int8[]) AS \(statement)")
                let plan = try connection.query("EXPLAIN EXECUTE clearing('{7}')", cached: false)
                    .map { $0[0].string() }
                #expect(plan.contains { $0.contains("cleared_room_museum_idx") }, "\(plan)")
                #expect(!plan.contains { $0.contains("Seq Scan on cleared_room") }, "\(plan)")
            }
        }
    }
}

@Entity private final class ClearedCity: ManagedObject {
    var number: Int = 0
    @Relationship(deleteRule: .cascade, inverse: "city") var museums: ToMany<ClearedMuseum>
}

@Entity private final class ClearedMuseum: ManagedObject {
    var number: Int = 0
    @Relationship(inverse: "museums") var city: ClearedCity?
    @Relationship(deleteRule: .cascade, inverse: "whole") var wings: ToMany<ClearedMuseum>
    @Relationship(inverse: "wings") var whole: ClearedMuseum?
    @Relationship(deleteRule: .nullify, inverse: "museum") var rooms: ToMany<ClearedRoom>
}

@Entity private final class ClearedRoom: ManagedObject {
    var number: Int = 0
    @Relationship(inverse: "rooms") var museum: ClearedMuseum?
}
