import Howdah
import HowdahModel
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// The programs of a failover test: they write to one server, read the history of one, and write heartbeats.
struct FailoverPrograms {
    let model: ManagedObjectModel

    init() throws { model = try Visitor.model() }

    /// Runs `body` with servers whose store has history.
    nonisolated(nonsending) static func run(
        replicas: Int = 1, settings: [String: String] = [:],
        _ body: (FailoverPrograms, ReplicatedStore) async throws -> Void
    ) async throws {
        let programs = try FailoverPrograms()
        try await withTemporaryReplica(
            programs.model, replicas: replicas, options: programs.options, settings: settings
        ) { store in try await body(programs, store) }
    }

    /// History is on, and no program writes a heartbeat by itself.
    var options: StoreOptions {
        var options = StoreOptions()
        options.history = .enabled
        options.keepsHistory = false
        return options
    }

    nonisolated(nonsending) func opened<T>(
        _ server: ReplicatedServer, _ body: (PersistentContainer) async throws -> T
    ) async throws -> T {
        let container = try await PersistentContainer.open(server.url, model: model, options: options)
        do {
            let result = try await body(container)
            await container.close(drainingFor: .seconds(5))
            return result
        } catch {
            await container.close(drainingFor: .seconds(5))
            throw error
        }
    }

    /// Saves new objects, each in a transaction, and returns their keys.
    @discardableResult
    nonisolated(nonsending) func save(_ count: Int, on server: ReplicatedServer) async throws -> Set<Int64> {
        try await opened(server) { container in
            var keys: Set<Int64> = []
            for _ in 0..<count {
                let key = try await container.perform { context in
                    let visitor = Visitor(context: context)
                    visitor.name = "New"
                    try context.save()
                    return visitor.objectID.key
                }
                keys.insert(key)
            }
            return keys
        }
    }

    /// Saves objects until the last page of the log has several of them and dozens of transactions in all. A server without
    /// synchronous commits loses them in a crash, as it writes whole pages only.
    nonisolated(nonsending) func saveUnwritten(on server: ReplicatedServer) async throws -> Set<Int64> {
        let session = try Connection(ConnectionConfiguration(server.url))
        defer { session.close() }
        return try await opened(server) { container in
            var keys: Set<Int64> = []
            var filled: Int64 = 0
            repeat {
                for _ in 0..<20 { _ = try session.query("SELECT pg_current_xact_id()::text") }
                keys.insert(
                    try await container.perform { context in
                        let visitor = Visitor(context: context)
                        visitor.name = "Unwritten"
                        try context.save()
                        return visitor.objectID.key
                    })
                filled =
                    try session.query(
                        "SELECT (pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') % 8192)::int8"
                    ).scalar { $0.int64 } ?? 0
            } while filled < 5_000
            return keys
        }
    }

    /// Saves objects and lets the server crash before it has written them, again if it was faster.
    ///
    /// - Parameter look: What a program does before the crash.
    /// - Returns: The keys, and the result of `look`.
    nonisolated(nonsending) func crashUnwritten<T>(
        _ crash: FailoverCrash, _ server: ReplicatedServer, _ look: () async throws -> T
    ) async throws -> (lost: Set<Int64>, seen: T) {
        for _ in 0..<8 {
            let keys = try await saveUnwritten(on: server)
            let next = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text"
            let before = try PlainSQL(url: server.url).value(next).flatMap { UInt64($0) } ?? 0
            let seen = try await look()
            try await crash.end(server)
            let after = try PlainSQL(url: server.url).value(next).flatMap { UInt64($0) } ?? 0
            if after + 30 < before { return (keys, seen) }
            try await beat(server)
        }
        Issue.record("The server lost nothing.")
        return ([], try await look())
    }

    /// Changes stored objects, each in a transaction, and returns their keys.
    nonisolated(nonsending) func change(_ count: Int, on server: ReplicatedServer) async throws -> Set<Int64>
    {
        try await opened(server) { container in
            var keys: Set<Int64> = []
            for offset in 0..<count {
                let key = try await container.perform { context -> Int64? in
                    var request = FetchRequest<Visitor>()
                    (request.fetchOffset, request.fetchLimit) = (offset, 1)
                    guard let visitor = try context.fetch(request).first else { return nil }
                    visitor.name += "!"
                    try context.save()
                    return visitor.objectID.key
                }
                if let key { keys.insert(key) }
            }
            return keys
        }
    }

    /// Writes a heartbeat now, as if the last one were some seconds old.
    nonisolated(nonsending) func beat(_ server: ReplicatedServer) async throws {
        let sql = PlainSQL(url: server.url)
        try sql.script(
            """
            UPDATE "public"."_howdah_history_state" SET "heartbeat_at" = "heartbeat_at" - interval '1 minute';
            """)
        #expect(try sql.value("SELECT \"public\".\"_howdah_history_heartbeat\"()::text") == "true")
    }

    nonisolated(nonsending) func token(_ server: ReplicatedServer) async throws -> HistoryToken {
        try await opened(server) { try await $0.currentHistoryToken() }
    }

    /// Reads the history after a token.
    nonisolated(nonsending) func read(
        after token: HistoryToken, on server: ReplicatedServer
    ) async throws -> FailoverReading {
        try await opened(server) { container in
            let result = try await container.perform { context in
                try context.execute(HistoryRequest.fetch(after: token))
            }
            let changes = result.transactions.flatMap(\.changes)
            return FailoverReading(
                keys: changes.map(\.changedObjectID.key), token: try #require(result.token),
                isAfterFailover: result.isAfterFailover)
        }
    }

    /// The keys that a reader would get who takes a snapshot at its word, whatever happened to the server.
    func keysAtItsWord(of snapshot: StoreSnapshot, on server: ReplicatedServer) throws -> Set<Int64> {
        let rows = try PlainSQL(url: server.url).rows(
            """
            SELECT DISTINCT k::text FROM "public"."_howdah_history" AS h, unnest(h."ids") AS k
            WHERE h."txid" >= pg_snapshot_xmax('\(snapshot)')
                OR h."txid" = ANY (ARRAY(SELECT pg_snapshot_xip('\(snapshot)')))
            """)
        return Set(rows.compactMap { $0[0].flatMap { Int64($0) } })
    }

    /// The keys of the objects that a server has.
    func storedKeys(on server: ReplicatedServer) throws -> Set<Int64> {
        let rows = try PlainSQL(url: server.url).rows("SELECT \"_id\"::text FROM \"public\".\"visitor\"")
        return Set(rows.compactMap { $0[0].flatMap { Int64($0) } })
    }

    /// The snapshot of a server's last heartbeat.
    func heartbeat(of server: ReplicatedServer) throws -> StoreSnapshot {
        let text = try PlainSQL(url: server.url).value(
            "SELECT \"heartbeat\"::text FROM \"public\".\"_howdah_history_state\"")
        return try #require(text.flatMap { StoreSnapshot($0) })
    }

    /// The number of a server's timeline.
    func timeline(of server: ReplicatedServer) throws -> String? {
        try PlainSQL(url: server.url).value(
            "SELECT substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)")
    }
}

/// The history that a program has read.
struct FailoverReading {
    let keys: [Int64]
    let token: HistoryToken
    let isAfterFailover: Bool
}
