import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Whatever batches do, alone or beside others, every derived attribute follows from the rest.
@Suite(.timeLimit(.minutes(60))) struct BatchDerivedTests {
    private static let seeds: [UInt64] = Array(1...TestTier.choose(quick: 1, all: 3, nightly: 3))
    private static let names = ["É", "Straße", "ΑΣ", "x"]

    /// Inserts some of everything, related at random.
    static func populate(_ container: PersistentContainer, seed: UInt64) async throws {
        try await container.perform { context in
            var random = SeededGenerator(seed: seed)
            func insert(_ entity: String, _ count: Int) -> [ManagedObject] {
                (0..<count).map { _ in context.insert(entity) }
            }
            let (firms, departments) = (insert("Firm", 4), insert("Department", 12))
            let (employees, bosses) = (insert("Employee", 60), insert("Boss", 6))
            let (skills, desks) = (insert("Skill", 8), insert("Desk", 30))
            for object in firms + departments + employees + bosses { object["name"] = random.pick(names) }
            for boss in bosses {
                boss["title"] = "Dr"
                boss.members(forKey: "leads").insert(random.pick(departments))
            }
            for department in departments { department["firm"] = random.pick([nil] + firms) }
            for employee in employees + bosses {
                employee["department"] = random.pick([nil] + departments)
                employee["salary"] = Decimal(Int.random(in: 1...99, using: &random))
                employee.members(forKey: "skills").insert(random.pick(skills))
            }
            for skill in skills { skill["weight"] = Int.random(in: 1...9, using: &random) }
            for (desk, employee) in zip(desks, employees) {
                (desk["code"], desk["owner"]) = ("\(Int.random(in: 1...99, using: &random))", employee)
            }
            try context.save()
        }
    }

    /// Updates or deletes rows of one entity that a predicate chooses.
    static func act(
        _ context: ManagedObjectContext, _ random: inout SeededGenerator, deletes: Bool = true
    ) throws {
        func some(_ entity: String) throws -> ManagedObject? {
            random.pick([nil] + (try context.fetch(FetchRequest<ManagedObject>(entityName: entity))))
        }
        func update(_ entity: String, _ property: String, _ value: BatchUpdateValue) throws {
            var request = FetchRequest<ManagedObject>(entityName: entity)
            if let object = try some(entity) { request.predicate = .format("SELF == %@", object.objectID) }
            _ = try context.execute(BatchUpdateRequest(request, set: [property: value]))
        }
        let number = Int.random(in: 1...99, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0: try update("Employee", "salary", .value(Decimal(number)))
        case 1, 2: try update("Employee", "department", .value(try some("Department")?.objectID))
        case 3: try update("Department", "firm", .value(try some("Firm")?.objectID))
        case 4: try update("Firm", "name", .value("\(number)"))
        case 5: try update("Skill", "weight", .value(number))
        case 6: try update("Employee", "name", .value("\(number)"))
        case 7: try update("Desk", "code", .value("\(number)"))
        default:
            if !deletes { return }
            let entity = random.pick(["Firm", "Department", "Employee", "Boss", "Skill", "Desk"])
            var request = FetchRequest<ManagedObject>(entityName: entity)
            guard let object = try some(entity) else { return }
            request.predicate = .format("SELF == %@", object.objectID)
            _ = try context.execute(BatchDeleteRequest(request, result: .count))
        }
    }

    @Test(arguments: seeds) func everythingFollowsBatches(seed: UInt64) async throws {
        try await withStore(DerivedModel.model()) { container, sql in
            try await Self.populate(container, seed: seed)
            try await container.perform { context in
                var random = SeededGenerator(seed: seed)
                for step in 0..<TestTier.choose(quick: 30, all: 50, nightly: 400) {
                    try Self.act(context, &random)
                    context.reset()
                    let wrong = try DerivedModel.wrongRows(sql)
                    #expect(wrong == [], "seed \(seed), step \(step)")
                    if !wrong.isEmpty { return }
                }
            }
        }
    }

    /// Rows that batches wait for are looked at again, so that they name the owners of that time.
    @Test(arguments: seeds) func everythingFollowsBatchesBesideOthers(seed: UInt64)
        async throws
    {
        try await withStore(DerivedModel.model()) { container, sql in
            try await Self.populate(container, seed: seed)
            await withTaskGroup(of: Void.self) { group in
                for worker in 0..<4 as Range<UInt64> {
                    group.addTask { await Self.work(container, seed: seed * 10 + worker) }
                }
            }
            #expect(try DerivedModel.wrongRows(sql) == [], "seed \(seed)")
            #expect(try sql.value("SELECT count(*)::text FROM employee") != "66")
        }
    }

    private static func work(_ container: PersistentContainer, seed: UInt64) async {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<TestTier.choose(quick: 25, all: 40, nightly: 400) {
            let start = generator.next()
            // Another one may have deleted what this one refers to.
            try? await container.perform { context in
                var random = SeededGenerator(seed: start)
                try act(context, &random)
            }
        }
    }

    /// One deletion and one update of many look at the rows that follow, and not at all others.
    @Test func batchesNameTheRowsThatFollow() async throws {
        try await withStore(DerivedModel.model()) { container, sql in
            try await Self.populate(container, seed: 7)
            let log = container.statementLog
            for (name, count) in [("Employee", 66), ("Desk", 30), ("Skill", 8)] {
                log.start()
                try await container.perform { context in
                    let request = FetchRequest<ManagedObject>(entityName: name)
                    if name == "Employee" {
                        _ = try context.execute(
                            BatchUpdateRequest(request, set: ["salary": .increment(by: 1)]))
                    }
                    let result = try context.execute(BatchDeleteRequest(request, result: .count))
                    #expect(result.count == count)
                }
                let statements = log.statements.map(\.sql)
                log.stop()
                #expect(!statements.contains { $0.contains("IS DISTINCT FROM (") }, "\(name): \(statements)")
                #expect(try DerivedModel.wrongRows(sql) == [])
            }
        }
    }
}
