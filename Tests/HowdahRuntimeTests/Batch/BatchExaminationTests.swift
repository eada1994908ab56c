import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Batches whose rows follow from other rows look at these again after they have waited.
@Suite(.timeLimit(.minutes(60))) struct BatchExaminationTests {
    private static func model(isDerived: Bool) throws -> ManagedObjectModel {
        let derived: [PropertyDescription] =
            isDerived ? [.attribute("sum", .integer64, derivation: "jobs.@sum.seen")] : []
        return try ManagedObjectModel(entities: [
            EntityDescription(
                "Job",
                properties: [
                    .attribute("state", .string), .attribute("seen", .integer32, default: 0),
                    .relationship("queue", to: "Queue", inverse: "jobs"),
                ]),
            EntityDescription(
                "Queue",
                properties: [
                    .attribute("name", .string), .attribute("flag", .integer32),
                    .relationship(
                        "jobs", to: "Job", inverse: "queue", toMany: true, deleteRule: .cascade),
                ] + derived),
        ])
    }

    /// A batch that waits for another session, which commits a change of the rows beside.
    struct Trial: CustomStringConvertible, Sendable {
        let description: String
        var entity = "Job"
        let format: String
        var setup = ""
        let script: String
        /// How many rows the batch changes or deletes after that.
        let count: Int
    }

    private static let touching = "; UPDATE job SET state = state WHERE seen < 3"
    private static let queues = """
        INSERT INTO queue (_id, _version, name) VALUES (900001, 1, NULL), (900002, 1, 'R'), (900003, 1, 'x')
        """

    static let trials = [
        Trial(
            description: "a to-one's attribute", format: "seen < 3 AND queue.name == 'x'",
            script: "UPDATE queue SET name = 'closed'" + touching, count: 0),
        Trial(
            description: "a to-one without a value", format: "seen < 3 AND queue.name == nil",
            setup: queues + "; UPDATE job SET queue = 900001 WHERE seen < 3",
            script: "UPDATE job SET queue = 900002 WHERE seen < 3", count: 0),
        Trial(
            description: "another value than one", format: "seen < 3 AND queue.name != 'R'", setup: queues,
            script: "UPDATE job SET queue = 900002 WHERE seen < 3", count: 0),
        Trial(
            description: "no such value", format: "seen < 3 AND NOT (queue.name == 'R')", setup: queues,
            script: "UPDATE job SET queue = 900002 WHERE seen < 3", count: 0),
        Trial(
            description: "another row with the value", format: "seen < 3 AND queue.name == 'x'",
            setup: queues,
            script: "UPDATE job SET queue = 900003 WHERE seen < 3", count: 3),
        Trial(
            description: "a count", entity: "Queue", format: "name == 'R' AND jobs.@count == 0",
            setup: queues,
            script: "INSERT INTO job (_id, _version, seen, queue) VALUES (900010, 1, 100, 900002)"
                + "; UPDATE queue SET name = name WHERE _id = 900002", count: 0),
        Trial(
            description: "any member", entity: "Queue", format: "name == 'x' AND ANY jobs.state == 'new'",
            script: "UPDATE job SET state = 'done'; UPDATE queue SET name = name", count: 0),
    ]

    nonisolated(nonsending) private static func with(
        isDerived: Bool, _ body: (PersistentContainer, PlainSQL) async throws -> Void
    ) async throws {
        try await withTestDatabase(for: model(isDerived: isDerived)) { database in
            let container = try await PersistentContainer.open(
                database.url, model: model(isDerived: isDerived))
            try await container.perform { context in
                let queue = context.insert("Queue")
                (queue["name"], queue["flag"]) = ("x", 1)
                for number in 0..<10 {
                    let job = context.insert("Job")
                    (job["state"], job["seen"], job["queue"]) = ("new", number, queue)
                }
                try context.save()
            }
            let sql = PlainSQL(url: database.url)
            try await container.closing { try await body($0, sql) }
        }
    }

    private static func run(_ script: String, _ sql: PlainSQL) throws {
        let connection = try Connection(ConnectionConfiguration(TestPooler.direct(sql.url)))
        defer { connection.close() }
        try connection.executeScript(script)
    }

    private static func request(_ entity: String, _ format: String) -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entityName: entity)
        request.predicate = .format(format)
        return request
    }

    @Test(arguments: trials, [false, true]) func updatesLookAgain(trial: Trial, isDerived: Bool) async throws
    {
        try await Self.with(isDerived: isDerived) { container, sql in
            if !trial.setup.isEmpty { try Self.run(trial.setup, sql) }
            let count = try await sql.committing(trial.script) {
                try await container.perform { context in
                    let values: [String: BatchUpdateValue] =
                        trial.entity == "Job" ? ["state": "claimed", "seen": 77] : ["flag": 77]
                    return try context.execute(
                        BatchUpdateRequest(Self.request(trial.entity, trial.format), set: values)
                    ).count
                }
            }
            #expect(count == trial.count)
            let column = trial.entity == "Job" ? "seen" : "flag"
            #expect(
                try sql.value("SELECT count(*)::text FROM \(trial.entity) WHERE \(column) = 77")
                    == "\(trial.count)")
            if isDerived, trial.setup.isEmpty { try Self.expectSums(sql) }
        }
    }

    @Test(arguments: trials, [false, true]) func deletionsLookAgain(trial: Trial, isDerived: Bool)
        async throws
    {
        try await Self.with(isDerived: isDerived) { container, sql in
            if !trial.setup.isEmpty { try Self.run(trial.setup, sql) }
            let count = try await sql.committing(trial.script) {
                try await container.perform { context in
                    try context.execute(
                        BatchDeleteRequest(Self.request(trial.entity, trial.format))
                    ).count
                }
            }
            #expect(count == trial.count)
            if trial.entity == "Queue" {
                #expect(
                    try sql.value("SELECT count(*)::text FROM job WHERE queue IS NOT NULL")
                        == (trial.setup.isEmpty ? "10" : "11"))
            }
            if isDerived, trial.setup.isEmpty { try Self.expectSums(sql) }
        }
    }

    @Test(arguments: [false, true]) func valuesAreThoseOfTheRowsBeside(isDerived: Bool) async throws {
        try await Self.with(isDerived: isDerived) { container, sql in
            let script = "UPDATE queue SET flag = 42; UPDATE job SET state = 'touched' WHERE seen < 3"
            let count = try await sql.committing(script) {
                try await container.perform { context in
                    try context.execute(
                        BatchUpdateRequest(
                            Self.request("Job", "seen < 3"), set: ["seen": .expression("queue.flag")])
                    ).count
                }
            }
            #expect(count == 3)
            #expect(try sql.value("SELECT count(*)::text FROM job WHERE seen = 42") == "3")
            if isDerived { try Self.expectSums(sql) }
        }
    }

    /// More rows than a statement names.
    @Test(arguments: [false, true]) func manyRowsAreLookedAtAgain(isDerived: Bool) async throws {
        try await Self.with(isDerived: isDerived) { container, sql in
            try Self.run(
                "INSERT INTO job (_id, _version, seen, queue) SELECT 1000000 + i, 1, 1, q._id "
                    + "FROM generate_series(1, 50100) i, queue q WHERE q.name = 'x'", sql)
            let claim: @Sendable () async throws -> Int = {
                try await container.perform { context in
                    try context.execute(
                        BatchUpdateRequest(
                            Self.request("Job", "seen == 1 AND queue.name == 'x'"), set: ["state": "claimed"])
                    ).count
                }
            }
            let script = "UPDATE queue SET name = 'closed'; UPDATE job SET state = state WHERE seen = 1"
            #expect(try await sql.committing(script, onceWaiting: claim) == 0)
            try Self.run("UPDATE queue SET name = 'x'", sql)
            #expect(try await claim() == 50_101)
        }
    }

    private static func expectSums(_ sql: PlainSQL) throws {
        let wrong = """
            SELECT q._id::text FROM queue q
            WHERE q.sum <> (SELECT coalesce(sum(j.seen), 0) FROM job j WHERE j.queue = q._id)
            """
        #expect(try sql.rows(wrong).isEmpty)
    }
}
