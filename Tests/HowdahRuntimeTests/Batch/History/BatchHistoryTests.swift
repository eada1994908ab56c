import HowdahModel
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// What batch requests write to the history.
@Suite struct BatchHistoryTests {
    private static func fill(_ container: PersistentContainer, _ count: Int = 3) async throws -> [Int64] {
        try await container.perform { context in
            let departments = ["A", "B"].map { name in
                let department = Department(context: context)
                department.name = name
                return department
            }
            let room = Room(context: context)
            room.number = 1
            room.department = departments[0]
            let people = (0..<count).map { number in
                let employee = Employee(context: context)
                employee.firstName = "E\(number)"
                employee.department = departments[0]
                return employee
            }
            try context.save()
            return departments.map(\.key) + [room.key] + people.map(\.key)
        }
    }

    private static func firstName(_ name: String) throws -> PredicateTree {
        try PredicateTree(format: "firstName == '\(name)'")
    }

    private static func firstName(not name: String) throws -> PredicateTree {
        try PredicateTree(format: "firstName != '\(name)'")
    }

    @Test func updateIsOneStatement() async throws {
        try await withHistory(Company.model()) { container, sql in
            let keys = try await Self.fill(container)
            let before = try sql.history().last?.number ?? 0
            try await container.perform { context in
                container.statementLog.start()
                let result = try context.execute(
                    BatchUpdateRequest(
                        Employee.self, matching: Self.firstName(not: "E1"),
                        set: ["lastName": "X", "visits": 3]))
                #expect(result.count == 2 && container.statementLog.countBesidesPooler == 1)
                let ids = try context.execute(
                    BatchUpdateRequest(
                        Employee.self, matching: Self.firstName("E1"), set: ["lastName": "Y"],
                        result: .objectIDs))
                #expect(
                    ids.objectIDs.map(\.key) == [keys[4]] && container.statementLog.countBesidesPooler == 2)
                let none = try context.execute(
                    BatchUpdateRequest(
                        Employee.self, matching: Self.firstName("nobody"), set: ["lastName": "Y"]))
                #expect(none.count == 0)
            }
            #expect(
                try sql.history(after: before).map(\.description) == [
                    "update Employee [\(keys[3]), \(keys[5])] lastName,visits",
                    "update Employee [\(keys[4])] lastName",
                ])
            #expect(try sql.history(after: before).allSatisfy { $0.origin == 1 })
        }
    }

    @Test func updateOfToOneTellsBothEnds() async throws {
        try await withHistory(Company.model()) { container, sql in
            let keys = try await Self.fill(container)
            for isNested in [false, true] {
                let before = try sql.history().last?.number ?? 0
                try await container.perform(isolation: isNested ? .readCommitted : nil) { context in
                    let target = try #require(
                        try context.fetch(Department.self).first { $0.name == (isNested ? "A" : "B") })
                    container.statementLog.start()
                    let result = try context.execute(
                        BatchUpdateRequest(Employee.self, set: ["department": .value(target.objectID)]))
                    #expect(result.count == 3)
                    if !isNested { #expect(container.statementLog.countBesidesPooler == 1) }
                }
                #expect(
                    try Set(sql.history(after: before).map(\.description)) == [
                        "update Employee [\(keys[3]), \(keys[4]), \(keys[5])] department",
                        "update Department [\(keys[0]), \(keys[1])] employees",
                    ])
                #expect(try Set(sql.history(after: before).map(\.number)).count == 1)
            }
        }
    }

    @Test func deletionTellsCascadesAndOwners() async throws {
        try await withHistory(Company.model()) { container, sql in
            let keys = try await Self.fill(container)
            var before = try sql.history().last?.number ?? 0
            try await container.perform { context in
                container.statementLog.start()
                // Rooms reach nothing but their owner.
                let result = try context.execute(BatchDeleteRequest(Room.self))
                #expect(result.count == 1)
                #expect(container.statementLog.countBesidesPooler == 1)
            }
            #expect(
                try Set(sql.history(after: before).map(\.description)) == [
                    "delete Room [\(keys[2])] *", "update Department [\(keys[0])] rooms",
                ])
            try sql.script(
                "INSERT INTO room (_id, _version, number, department) VALUES (77, 1, 7, \(keys[0]))")
            before = try sql.history().last?.number ?? 0
            try await container.perform { context in
                let request = try BatchDeleteRequest(
                    Department.self, matching: PredicateTree(format: "name == 'A'"))
                let result = try context.execute(request)
                #expect(result.count == 1)
            }
            #expect(
                try Set(sql.history(after: before).map(\.description)) == [
                    "delete Department [\(keys[0])] *", "delete Room [77] *",
                    "update Employee [\(keys[3]), \(keys[4]), \(keys[5])] department",
                ])
        }
    }

    @Test(arguments: [3, 1_500]) func insertionTellsRowsAndOwners(count: Int) async throws {
        try await withHistory(Company.model()) { container, sql in
            let keys = try await Self.fill(container)
            for isNested in [false, true] {
                let before = try sql.history().last?.number ?? 0
                try await container.perform(isolation: isNested ? .readCommitted : nil) { context in
                    let owner = try #require(try context.fetch(Department.self).first { $0.name == "A" })
                    let rows: [BatchInsertRow] = (0..<count).map { number in
                        ["firstName": "N\(number)", "department": owner.objectID]
                    }
                    let result = try context.execute(BatchInsertRequest(Employee.self, objects: rows))
                    #expect(result.insertedCount == count)
                }
                let rows = try sql.history(after: before)
                #expect(rows.filter { $0.kind == 0 && $0.entity == "Employee" }.flatMap(\.ids).count == count)
                #expect(
                    rows.filter { $0.kind == 1 }.map(\.description) == [
                        "update Department [\(keys[0])] employees"
                    ])
                #expect(Set(rows.map(\.number)).count == 1 && rows.allSatisfy { $0.ids.count <= 1_000 })
            }
        }
    }

    @Test func upsertTellsNewAndChangedRows() async throws {
        try await withHistory(Company.model()) { container, sql in
            let keys = try await Self.fill(container)
            let before = try sql.history().last?.number ?? 0
            try await container.insert(
                into: Department.self, uniqueness: .mergeByPropertyObjectTrump,
                from: [["name": "A", "budget": 3], ["name": "C"]])
            let rows = try sql.history(after: before)
            #expect(rows.map(\.kind) == [0, 1] && rows.last?.ids == [keys[0]])
            #expect(rows.last?.properties?.contains("budget") == true)
        }
    }

    /// Control for A6: a batch waits for a row that another session has changed, and draws its number after that.
    @Test(arguments: [true, false]) func numberFollowsTheLocks(isDerived: Bool) async throws {
        try await withHistory(Company.model()) { container, sql in
            _ = try await Self.fill(container)
            let other = try Connection(ConnectionConfiguration(TestPooler.direct(sql.url)))
            defer { other.close() }
            try other.executeScript(
                "BEGIN; UPDATE employee SET visits = 7, _version = _version + 1 WHERE first_name = 'E2'")
            async let batch: Void = {
                if isDerived {
                    try await container.perform { context in
                        _ = try context.execute(BatchUpdateRequest(Employee.self, set: ["lastName": "B"]))
                    }
                } else {
                    // The text as it was designed, with the number beside what is written.
                    try sql.script(
                        """
                        WITH n AS MATERIALIZED (SELECT nextval('_howdah_history_number') AS number),
                        written AS (UPDATE employee SET last_name = 'B' FROM n WHERE n.number > 0 RETURNING _id)
                        INSERT INTO _howdah_history (slot, number, part, origin, entity, kind, ids)
                        SELECT 0, n.number, 0, 1, 'Employee', 1, (SELECT array_agg(_id) FROM written) FROM n
                        """)
                }
            }()
            while try sql.value(
                "SELECT count(*)::text FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted "
                    + "AND datname = current_database()") == "0"
            {
                try await Task.sleep(for: .milliseconds(5))
            }
            try other.executeScript(
                """
                INSERT INTO _howdah_history (slot, number, part, origin, entity, kind, ids, author)
                SELECT 0, nextval('_howdah_history_number'), 0, 0, 'Employee', 1, '{1}', 'other'; COMMIT
                """)
            try await batch
            let authors = try sql.rows(
                "SELECT author FROM _howdah_history WHERE kind = 1 ORDER BY number DESC LIMIT 1")
            #expect((authors == [[nil]]) == isDerived)
        }
    }
}
