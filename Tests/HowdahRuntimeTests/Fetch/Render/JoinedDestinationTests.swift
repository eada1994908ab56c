import Foundation
import Howdah
import HowdahTesting
import SeededRandom
import TestSupport
import Testing

@testable import HowdahRuntime

/// Prefetched to-one destinations of a single row come in the fetch's own statement.
@Suite(.timeLimit(.minutes(60))) struct JoinedDestinationTests {
    @Test("A limit of 1 joins, and other limits send a statement for each step")
    func limits() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 7, employees: 15)
            for (limit, paths, statements) in [
                (1, ["department"], 1), (2, ["department"], 2), (0, ["department"], 2),
                (1, ["department", "heads"], 2), (1, ["department.rooms"], 3), (1, ["projects"], 2),
                (1, ["department", "department"], 1), (1, ["department", "projects"], 2), (1, [], 1),
            ] {
                try await container.perform { context in
                    var request = FetchRequest<Employee>()
                    request.sortDescriptors = [.ascending(\.firstName)]
                    (request.fetchLimit, request.fetchOffset) = (limit, 3)
                    request.relationshipKeyPathsForPrefetching = paths
                    container.statementLog.start()
                    let employees = try context.fetch(request)
                    #expect(container.statementLog.count == statements, "\(limit) \(paths)")
                    for (number, employee) in employees.enumerated() {
                        #expect(employee.department?.name == String(format: "d%05d", (number + 3) % 7))
                    }
                    let isRead = paths.contains { $0.hasPrefix("department") }
                    #expect(
                        container.statementLog.count == statements + (isRead ? 0 : 1), "\(limit) \(paths)")
                }
            }
        }
    }

    @Test("Fetches agree with those that do not join, whatever the context has changed", arguments: 0..<12)
    func agreement(seed: UInt64) async throws {
        try await withTestStore(Staff.model()) { container in
            try await container.perform { context in
                var generator = SeededGenerator(seed: seed)
                var people: [Person] = []
                for number in 0..<60 {
                    let person = number % 3 == 0 ? Person(context: context) : Worker(context: context)
                    person.name = "p\(number)"
                    person.friend =
                        Bool.random(using: &generator) ? people.randomElement(using: &generator) : nil
                    people.append(person)
                }
                try context.save()
            }
            var numbers = SeededGenerator(seed: seed + 1_000)
            for round in 0..<20 {
                let (changes, choice) = (numbers.next(), numbers.next())
                /// What a fetch sees, as text, and the number of its statements.
                func seen(joining: Bool) async throws -> (rows: [String], statements: Int) {
                    try await container.perform { context in
                        var generator = SeededGenerator(seed: changes)
                        // In every second round, the context knows some rows and has changed others.
                        let some =
                            round % 2 == 0 ? [] : try context.fetch(Person.self, sortedBy: .ascending(\.name))
                        for _ in 0..<(some.isEmpty ? 0 : 6) {
                            let (one, other) = (generator.pick(some), generator.pick(some))
                            switch Int.random(in: 0..<4, using: &generator) {
                            case 0: one.name += "!"
                            case 1: one.friend = other
                            case 2: one.friend = nil
                            default: if !one.isDeleted { context.delete(one) }
                            }
                        }
                        for person in some where !person.hasChanges && person.name.hasSuffix("7") {
                            try context.refresh(person, mergeChanges: false)
                        }
                        generator = SeededGenerator(seed: choice)
                        var request = FetchRequest<Person>()
                        request.predicate = generator.pick([
                            nil, .format("friend.name >= 'p3'"), .format("name != 'p5'"),
                        ])
                        request.sortDescriptors = generator.pick([
                            [.ascending(\.name)], [.descending(\.friend, \.name), .ascending(\.name)],
                        ])
                        request.fetchLimit = 1
                        request.fetchOffset = Int.random(in: 0..<50, using: &generator)
                        request.relationshipKeyPathsForPrefetching = joining ? ["friend"] : []
                        container.statementLog.start()
                        let rows = try context.fetch(request).map {
                            "\($0.objectID.pathComponent) \($0.name) \($0.friend?.name ?? "-") \($0.hasChanges)"
                        }
                        return (rows, container.statementLog.count)
                    }
                }
                let (joined, plain) = (try await seen(joining: true), try await seen(joining: false))
                #expect(plain.rows == joined.rows, "seed \(seed), round \(round)")
                if round % 2 == 0 { #expect(joined.statements == 1, "seed \(seed), round \(round)") }
            }
        }
    }

    @Test("A destination of a part of a hierarchy has a statement of its own")
    func partsOfHierarchies() async throws {
        try await withTestStore(Staff.model()) { container in
            try await container.perform { context in
                let boss = Boss(context: context)
                boss.name = "b"
                for number in 0..<5 {
                    let worker = Worker(context: context)
                    (worker.name, worker.boss, worker.friend) = ("w\(number)", boss, boss)
                }
                try context.save()
            }
            for (path, statements) in [("boss", 2), ("friend", 1)] {
                try await container.perform { context in
                    var request = FetchRequest<Worker>()
                    request.predicate = .format("name BEGINSWITH 'w'")
                    request.fetchLimit = 1
                    request.relationshipKeyPathsForPrefetching = [path]
                    container.statementLog.start()
                    let workers = try context.fetch(request)
                    #expect(workers.allSatisfy { ($0.friend as? Boss)?.name == "b" && $0.boss?.name == "b" })
                    #expect(container.statementLog.count == statements)
                }
            }
        }
    }

    @Test("With a lock, destinations are read after it was obtained")
    func locks() async throws {
        try await withStore(Company.model()) { container, sql in
            try await Company.fill(container, departments: 1, employees: 1)
            let name = try await sql.committing(
                "UPDATE department SET name = 'new'; UPDATE employee SET visits = visits + 1"
            ) {
                try await container.perform(isolation: .readCommitted) { context in
                    var request = FetchRequest<Employee>()
                    request.fetchLimit = 1
                    request.rowLock = .update
                    request.relationshipKeyPathsForPrefetching = ["department"]
                    return try context.fetch(request).first?.department?.name
                }
            }
            #expect(name == "new")
        }
    }

    @Test("A known destination is not sent again")
    func sentOnce() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 1, employees: 3)
            try await container.perform { context in
                context.retainsRegisteredObjects = true
                var statements: [String] = []
                for number in 0..<3 {
                    container.statementLog.start()
                    let employees = try context.fetch(
                        Employee.self, sortedBy: .ascending(\.firstName), limit: 1, offset: number,
                        prefetching: \.department)
                    #expect(employees.first?.department?.name == "d00000")
                    statements += container.statementLog.statements.map(\.sql)
                }
                #expect(statements.count == 3)
                #expect(statements.map { $0.contains("JOIN") } == [true, false, false])
            }
        }
    }

    @Test("A predicate that has all joins that a fetch may have leaves none for destinations")
    func joinLimit() async throws {
        let others = (0..<64).map { "r\($0)" }
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Owner",
                properties: [.relationship("last", to: "Other", inverse: "last")]
                    + others.map { .relationship($0, to: "Other", inverse: $0) }),
            EntityDescription(
                "Other",
                properties: [.attribute("n", .integer64)]
                    + (others + ["last"]).map { .relationship($0, to: "Owner", inverse: $0, toMany: true) }),
        ])
        try await withTestStore(model) { container in
            try await container.perform { context in
                // It is not sent: PostgreSQL would need a minute to find the best order of 64 joins.
                for count in [63, 64] {
                    var request = FetchRequest<ManagedObject>(entityName: "Owner")
                    request.predicate = .and(others[..<count].map { .format("%K == 7", "\($0).n") })
                    request.fetchLimit = 1
                    request.relationshipKeyPathsForPrefetching = ["last"]
                    let layout = try #require(context.store.layouts.layout(named: "Owner"))
                    let statement = try StoreFetch(context: context).statement(of: request, layout)
                    #expect(statement.joined.count == 64 - count)
                    #expect(statement.sql.components(separatedBy: " LEFT JOIN ").count == 65)
                }
            }
        }
    }

    @Test("More columns than a query may have are read by two statements")
    func wideTables() async throws {
        let attributes = (0..<840).map { PropertyDescription.attribute("a\($0)", .integer16) }
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Owner", properties: attributes + [.relationship("other", to: "Other", inverse: "owners")]),
            EntityDescription(
                "Other",
                properties: attributes + [
                    .relationship("owners", to: "Owner", inverse: "other", toMany: true)
                ]),
        ])
        try await withTestStore(model) { container in
            try await container.perform { context in
                context.insert("Owner")["other"] = context.insert("Other")
                try context.save()
            }
            try await container.perform { context in
                var request = FetchRequest<ManagedObject>(entityName: "Owner")
                request.fetchLimit = 1
                request.relationshipKeyPathsForPrefetching = ["other"]
                container.statementLog.start()
                let other = try context.fetch(request).first?["other"]
                #expect(other is ManagedObject)
                #expect(container.statementLog.count == 2)
            }
        }
    }

    @Test("A destination that cannot be read is an error after the owner was told")
    func unreadable() async throws {
        try await withStore(Staff.model()) { container, sql in
            try await container.perform { context in
                let (one, other) = (Person(context: context), Person(context: context))
                (one.name, other.name, one.friend) = ("a", "b", other)
                try context.save()
            }
            try sql.rows("ALTER TABLE person ALTER COLUMN name DROP NOT NULL")
            try sql.rows("UPDATE person SET name = NULL WHERE name = 'b'")
            try await container.perform { (context: ManagedObjectContext) throws in
                for limit in [1, 2] {
                    let error = #expect(throws: FetchError.self) {
                        try context.fetch(
                            Person.self, matching: .format("name == 'a'"), limit: limit, prefetching: \.friend
                        )
                    }
                    #expect(error?.code == .schemaMismatch)
                    context.reset()
                }
                #expect(try context.fetch(Person.self, matching: .format("name == 'a'"), limit: 1).count == 1)
            }
        }
    }

    @Test("Known destinations keep their values, and new ones are told once that they were fetched")
    func knownDestinations() async throws {
        try await withStore(Company.model()) { container, sql in
            try await Company.fill(container, departments: 2, employees: 10)
            try await container.perform { context in
                let known = try #require(
                    try context.fetch(Department.self, matching: .format("name == 'd00001'")).first)
                known.name = "mine"
                try sql.rows("UPDATE department SET name = name || '!', _version = _version + 1")
                let employees = try context.fetch(
                    Employee.self, sortedBy: .ascending(\.firstName), limit: 10, prefetching: \.department)
                #expect(
                    employees.map { $0.department?.name } == (0..<10).map { $0 % 2 == 0 ? "d00000!" : "mine" }
                )
                #expect(Set(employees.compactMap { $0.department.map(ObjectIdentifier.init) }).count == 2)
            }
        }
    }

    @Test("A column of the destination that another program altered is named")
    func alteredColumns() async throws {
        try await withStore(Company.model()) { container, sql in
            try await Company.fill(container, departments: 1, employees: 1)
            try sql.rows("ALTER TABLE room ALTER COLUMN number TYPE text")
            try await container.perform { context in
                let room = Room(context: context)
                expect(.schemaMismatch) {
                    try context.fetch(Room.self, limit: 1, prefetching: \.department)
                }
                context.delete(room)
            }
            try sql.rows("ALTER TABLE department ALTER COLUMN name TYPE varchar(30)")
            try await container.perform { context in
                let error = #expect(throws: FetchError.self) {
                    try context.fetch(Employee.self, limit: 1, prefetching: \.department)
                }
                #expect(error?.code == .schemaMismatch)
                #expect(error?.message.contains("Department") == true)
            }
        }
    }
}
