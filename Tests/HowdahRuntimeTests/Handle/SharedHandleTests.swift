import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Eight tasks on one handle, whose runs end their objects while the next one is at work. That objects cannot leave a run
/// is for the compiler to see: `CompileFailureTests` has the programs. Run under the thread sanitizer, too.
@Suite(.timeLimit(.minutes(60))) struct SharedHandleTests {
    private static let runs = TestTier.choose(quick: 60, all: 300, nightly: 300)

    @Test(arguments: [false, true]) func eightTasksTakeTurns(waiting: Bool) async throws {
        try await CompanyStore.with { store in
            _ = try await store.hire(40)
            let handle = store.container.newBackgroundContext()
            let sum = try await withThrowingTaskGroup(of: Int.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        var sum = 0
                        for run in 0..<Self.runs {
                            sum +=
                                waiting
                                ? try handle.performAndWait { try Self.work($0, task, run) }
                                : try await handle.perform { try Self.work($0, task, run) }
                        }
                        return sum
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(sum == 8 * Self.runs)
            let visits = try PlainSQL(url: store.url).value("SELECT sum(visits)::text FROM employee")
            #expect(visits == "\(8 * Self.runs / 10)")
        }
    }

    /// `EncodingError` is Sendable and keeps the value that could not be encoded.
    @Test func anErrorCarriesNoObjectsOutOfAHandle() async throws {
        try await CompanyStore.with { store in
            _ = try await store.hire(2)
            let handle = store.container.newBackgroundContext()
            for waiting in [false, true] {
                let body: @Sendable (ManagedObjectContext) throws -> Void = { context in
                    let people = try context.fetch(FetchRequest<Employee>())
                    throw EncodingError.invalidValue(
                        ["people": people], .init(codingPath: [], debugDescription: ""))
                }
                let error = await #expect(throws: FetchError.self) {
                    if waiting { try handle.performAndWait(body) } else { try await handle.perform(body) }
                }
                #expect(error?.code == .invalidRequest && error?.message.contains("EncodingError") == true)
            }
            await #expect(throws: EncodingError.self) {
                try await handle.perform { _ in
                    throw EncodingError.invalidValue(["a": 1], .init(codingPath: [], debugDescription: ""))
                }
            }
        }
    }

    /// What another handle commits in a run is not undone with it.
    @Test(arguments: [nil, Isolation.readCommitted]) func aSaveOfAnotherHandleIsNotRepeated(
        isolation: Isolation?
    ) async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            let other = store.container.newBackgroundContext()
            let error = await #expect(throws: SaveError.self) {
                try await store.container.perform(isolation: isolation, retrying: .conflicts(upTo: 3)) {
                    context in
                    let person = try context.existingObject(with: id)
                    try other.performAndWait { context in
                        Project(context: context).title = "once"
                        try context.save()
                    }
                    try store.execute("UPDATE employee SET _version = _version + 1")
                    person.visits += 1
                    try context.save()
                }
            }
            #expect(error?.code == .conflict && error?.message.contains("was not retried") == true)
            #expect(try PlainSQL(url: store.url).value("SELECT count(*)::text FROM project") == "1")
        }
    }

    /// Without an isolation, a query of the program's function is committed by itself.
    @Test func aFunctionThatMayWriteIsNotCalledTwice() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try store.execute(
                """
                CREATE FUNCTION work() RETURNS int8 LANGUAGE sql AS 'INSERT INTO project (_id, _version, title)
                    VALUES ((SELECT coalesce(max(_id), 0) + 1 FROM project), 1, ''x'') RETURNING 1::int8'
                """)
            let queries: [(SQLQuery, isRepeated: Bool)] = [
                ("SELECT work()", false), ("SELECT public.work()", false), ("VALUES (work ())", false),
                ("SELECT work/* */()", false),
                ("SELECT work\r\n()", false), ("SELECT '--', work()", false),
                (
                    "SELECT pg_catalog.count(*) FROM project WHERE title IN ('work (', 'x') AND (visits( 'a' ) IS NULL)",
                    false
                ),
                ("SELECT count(*) FROM employee WHERE (visits > 1 OR lower (first_name) = 'a')", true),
            ]
            try store.execute("CREATE FUNCTION visits(text) RETURNS int8 LANGUAGE sql AS 'SELECT NULL::int8'")
            for (query, isRepeated) in queries {
                let runs = Shared(0)
                _ = try? await store.container.perform(retrying: .conflicts(upTo: 2)) { context in
                    runs.withLock { $0 += 1 }
                    let person = try context.existingObject(with: id)
                    _ = try context.fetchRows(Int64.self, sql: query)
                    try store.execute("UPDATE employee SET _version = _version + 1")
                    person.visits += 1
                    try context.save()
                }
                #expect(runs.value == (isRepeated ? 2 : 1), "\(query)")
            }
        }
    }

    /// Fetches, follows relationships, and changes an object in each tenth run; what it fetched ends with the run or
    /// before, by a refresh or a reset.
    private static func work(_ context: ManagedObjectContext, _ task: Int, _ run: Int) throws -> Int {
        let people = try context.fetch(FetchRequest<Employee>())
        guard run.isMultiple(of: 10) else {
            if run % 10 == 3 { context.reset() }
            if run % 10 == 7 { try context.refreshAllObjects() }
            return people.count == 40 ? 1 : 0
        }
        let person = people[(task * 31 + run) % people.count]
        person.visits += 1
        person.department = context.insert("Department") as? Department
        person.department?.name = "D\(task) \(run) \(UUID())"
        try context.save()
        return 1
    }
}
