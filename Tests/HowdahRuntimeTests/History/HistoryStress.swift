import Foundation
import HowdahModel
import HowdahSchema
import PQClient
import SeededRandom
import Synchronization
import TestSupport

@testable import HowdahRuntime

/// Writers that change employees and write history, and the truth about what they committed.
///
/// The number of visits of an employee is its version. A change tells it as its only property.
struct HistoryStress: Sendable {
    static let people = 150

    let store: HistoryStore
    /// The number of changes to commit.
    let count: Int
    let seed: UInt64
    private let progress = Progress()

    final class Progress: Sendable {
        let committed = Atomic<Int>(0)
        let rolledBack = Atomic<Int>(0)
        let isOver = Atomic<Bool>(false)
    }

    var isOver: Bool { progress.isOver.load(ordering: .acquiring) }
    var rolledBack: Int { progress.rolledBack.load(ordering: .relaxed) }

    /// Creates the employees and the tables of the truth and the effects.
    func prepare() throws {
        try store.execute(
            """
            INSERT INTO employee (_id, _version, first_name, salary, visits)
            SELECT g, 1, 'E' || g, 0, 0 FROM generate_series(1, \(Self.people)) g
            """)
        try store.execute("CREATE TABLE truth (id bigint, version bigint, PRIMARY KEY (id, version))")
        try store.execute("CREATE TABLE effect (place bigserial, consumer text, id bigint, version bigint)")
    }

    /// Runs `body` on a thread.
    static func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Commits changes until there are enough, on several sessions.
    func write(on sessions: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<sessions {
                group.addTask { try await Self.onThread { try run(number) } }
            }
            try await group.waitForAll()
        }
        progress.isOver.store(true, ordering: .releasing)
    }

    private func run(_ number: Int) throws {
        var random = SplitMix64(seed: seed, "writer", number: number)
        let session = try store.company.session()
        defer { session.close() }
        _ = try session.query("SET application_name = 'writer'")
        while progress.committed.load(ordering: .relaxed) < count {
            let done = random.chance(1, in: 2) ? try single(session, &random) : try several(session, &random)
            progress.committed.add(done, ordering: .relaxed)
            if done == 0 { progress.rolledBack.add(1, ordering: .relaxed) }
        }
    }

    private static let columns = "slot, number, part, origin, entity, kind, properties, ids"

    /// Changes one employee in one statement.
    private func single(_ session: Connection, _ random: inout SplitMix64) throws -> Int {
        let tables = HistoryStore.tables
        var parameters = Parameters()
        parameters.append(Int64(1 + random.below(Self.people)))
        return try session.query(
            """
            WITH saved AS (UPDATE employee SET visits = visits + 1 WHERE _id = $1 RETURNING _id, visits),
            truth AS (INSERT INTO truth SELECT _id, visits FROM saved),
            history AS (INSERT INTO \(tables.history) (\(Self.columns))
                SELECT \(tables.slotExpression), nextval('\(tables.number)'), 0, 0, 'Employee', 1, ARRAY[s.v], ARRAY[$1]
                FROM (SELECT max(visits)::text AS v, count(*) AS n FROM saved) s WHERE s.n > 0)
            SELECT * FROM saved
            """, parameters
        ).rowCount
    }

    /// Changes several employees in a transaction with pauses, which is sometimes rolled back.
    private func several(_ session: Connection, _ random: inout SplitMix64) throws -> Int {
        let tables = HistoryStore.tables
        var people: Set<Int64> = []
        for _ in 0..<random.pick([1, 1, 2, 5, 30]) { people.insert(Int64(1 + random.below(Self.people))) }
        try session.begin()
        if random.chance(3, in: 10) { _ = try session.query("SELECT pg_current_xact_id()") }
        if random.chance(2, in: 10) { Thread.sleep(forTimeInterval: random.fraction() * 0.03) }
        var versions: [Int64] = []
        for person in people.sorted() {
            var parameters = Parameters()
            parameters.append(person)
            let result = try session.query(
                "UPDATE employee SET visits = visits + 1 WHERE _id = $1 RETURNING visits", parameters)
            versions.append(result.first { $0[0].int64 } ?? 0)
        }
        var parameters = Parameters()
        parameters.append(people.sorted())
        parameters.append(versions)
        _ = try session.query(
            """
            INSERT INTO \(tables.history) (\(Self.columns))
            SELECT \(tables.slotExpression), n.number, p.part - 1, 0, 'Employee', 1, ARRAY[p.version::text], ARRAY[p.id]
            FROM (SELECT nextval('\(tables.number)') AS number) n, unnest($1, $2) WITH ORDINALITY p(id, version, part)
            """, parameters)
        _ = try session.query(
            "INSERT INTO truth SELECT * FROM unnest($1::bigint[], $2::bigint[])", parameters)
        if random.chance(2, in: 10) { Thread.sleep(forTimeInterval: random.fraction() * 0.03) }
        guard random.chance(9, in: 10) else {
            try session.rollback()
            return 0
        }
        try session.commit()
        return versions.count
    }

    /// The committed changes, by person.
    func truth() throws -> [Int64: [Int64]] {
        let session = try store.company.session()
        defer { session.close() }
        return Dictionary(
            grouping: try session.query("SELECT id, version FROM truth ORDER BY id, version")
                .map { ($0[0].int64, $0[1].int64) }, by: \.0
        ).mapValues { $0.map(\.1) }
    }

    /// The effects of a consumer in their order, by person.
    func effects(of consumer: String) throws -> [Int64: [Int64]] {
        let session = try store.company.session()
        defer { session.close() }
        return Dictionary(
            grouping: try session.query(
                "SELECT id, version FROM effect WHERE consumer = '\(consumer)' ORDER BY place"
            ).map { ($0[0].int64, $0[1].int64) }, by: \.0
        ).mapValues { $0.map(\.1) }
    }

    /// The changes of transactions.
    static func changes(_ transactions: [HistoryTransaction]) -> [(id: Int64, version: Int64)] {
        transactions.flatMap(\.changes).map { change in
            (change.changedObjectID.key, change.updatedProperties?.first.flatMap { Int64($0) } ?? -1)
        }
    }

    /// Ends connections of the container until the writers are done.
    func disturb() async throws {
        let session = try store.company.session()
        defer { session.close() }
        while !isOver {
            try await Task.sleep(for: .milliseconds(150))
            _ = try session.query(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
                    AND pid <> pg_backend_pid() AND application_name <> 'writer' ORDER BY random() LIMIT 1
                """)
        }
    }

    /// Rotates and purges all the time.
    func purge() async throws {
        let tables = HistoryStore.tables
        try store.execute("UPDATE \(tables.state) SET retention = '300 ms'")
        let session = try store.company.session()
        defer { session.close() }
        _ = try session.query("SET application_name = 'writer'")
        while !isOver {
            try await Task.sleep(for: .milliseconds(40))
            _ = try session.query("SELECT \(tables.name(of: .rotate))()")
            for slot in 0..<HistoryTables.slots {
                _ = try session.query("SELECT \(tables.name(of: .purge))(\(slot)::int2)")
            }
        }
    }
}
