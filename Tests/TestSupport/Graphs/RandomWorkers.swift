import Foundation
public import HowdahModel
public import HowdahRuntime
import PQClient

/// Programs that change workers, teams and skills in all ways of the library: saves, transactions of several saves,
/// batches, upserts, deletions, and what is rolled back.
public struct RandomWorkers {
    /// The number of workers, as long as none is deleted.
    public static let people = 150
    private static let teams = 12
    private static let skills = 8

    private let context: ManagedObjectContext
    private var random: SeededGenerator

    /// The model of the objects.
    public static var model: ManagedObjectModel {
        get throws {
            try ManagedObjectModel(entities: [
                EntityDescription(
                    "Worker",
                    properties: [
                        .attribute("number", .integer64, optional: false),
                        .attribute("points", .integer64, optional: false, default: .int(0)),
                        .relationship("team", to: "Team", inverse: "workers"),
                        .relationship("skills", to: "Skill", inverse: "workers", toMany: true),
                    ], uniquenessConstraints: [["number"]]),
                EntityDescription(
                    "Team",
                    properties: [
                        .attribute("number", .integer64, optional: false),
                        .attribute("total", .integer64, optional: false, derivation: "workers.@sum.points"),
                        .relationship("workers", to: "Worker", inverse: "team", toMany: true),
                    ]),
                EntityDescription(
                    "Skill",
                    properties: [
                        .attribute("number", .integer64, optional: false),
                        .relationship("workers", to: "Worker", inverse: "skills", toMany: true),
                    ]),
            ])
        }
    }

    /// Stores the objects.
    public static func fill(_ container: PersistentContainer) async throws {
        try await container.perform { context in
            func make(_ entity: String, _ count: Int) -> [ManagedObject] {
                (0..<count).map { number in
                    let object = context.insert(entity)
                    object["number"] = number
                    return object
                }
            }
            let (teams, workers) = (make("Team", teams), make("Worker", people))
            _ = make("Skill", skills)
            for (number, worker) in workers.enumerated() { worker["team"] = teams[number % teams.count] }
            try context.save()
        }
    }

    /// Changes objects until the task is cancelled. Conflicts and lost connections end a unit of work only.
    public static func work(in container: PersistentContainer, seed: UInt64) async {
        var random = SeededGenerator(seed: seed)
        while !Task.isCancelled {
            let (seed, isTransaction) = (random.next(), random.chance(40))
            try? await container.perform(isolation: isTransaction ? .readCommitted : nil) { context in
                var unit = RandomWorkers(context: context, random: SeededGenerator(seed: seed))
                if isTransaction { try unit.transact() } else { try unit.change() }
            }
        }
    }

    private struct Undone: Error {}

    /// Makes several changes, with pauses between them; some are rolled back.
    private mutating func transact() throws {
        for _ in 0..<random.pick([1, 2, 3, 6]) {
            try change()
            if random.chance(10) { Thread.sleep(forTimeInterval: Double(random.next() % 20) / 1_000) }
            if random.chance(10) {
                // A savepoint that is rolled back: no two workers have one number.
                let workers = try fetch("Worker", numbers(2))
                if workers.count == 2 { workers[0]["number"] = workers[1]["number"] }
                do { try context.save() } catch let error as SaveError where error.code == .uniqueness {}
                context.rollback()
            }
        }
        if random.chance(10) { throw Undone() }
    }

    private mutating func change() throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<6: try save(random.pick([1, 1, 1, 2, 5]))
        case 6..<10: try saveLinks()
        case 10..<12: try delete()
        case 12..<14:
            try context.execute(
                BatchUpdateRequest(few(), set: ["points": .increment(by: 1)]))
        case 14..<16:
            let team = try fetch("Team", [random.pick(Array(0..<Self.teams))]).first?.objectID
            try context.execute(BatchUpdateRequest(few(), set: ["team": .value(team)]))
        case 16: try context.execute(BatchDeleteRequest(few(upTo: 3)))
        default: try upsert()
        }
    }

    private mutating func save(_ count: Int) throws {
        for worker in try fetch("Worker", numbers(count)) {
            worker["points"] = (worker["points"] as? Int64 ?? 0) + 1
            if random.chance(30) {
                worker["team"] = try fetch("Team", [random.pick(Array(0..<Self.teams))]).first
            }
        }
        try context.save()
    }

    private mutating func saveLinks() throws {
        let skill = try fetch("Skill", [random.pick(Array(0..<Self.skills))]).first
        guard let skill, let worker = try fetch("Worker", numbers(1)).first else { return }
        let skills = worker.members(forKey: "skills")
        if skills.contains(skill) { skills.remove(skill) } else { skills.insert(skill) }
        try context.save()
    }

    private mutating func delete() throws {
        for worker in try fetch("Worker", numbers(random.pick([1, 2]))) { context.delete(worker) }
        try context.save()
    }

    private mutating func upsert() throws {
        let teams = try fetch("Team", Array(0..<Self.teams)).map(\.objectID)
        let rows = numbers(random.pick([2, 10, 20])).map { number -> BatchInsertRow in
            ["number": Int64(number), "points": Int64(random.next() % 100), "team": random.pick(teams)]
        }
        try context.execute(
            BatchInsertRequest(
                ManagedObject.self, entityName: "Worker", objects: rows,
                uniqueness: random.pick([.overwrite, .mergeByPropertyObjectTrump])))
    }

    /// Numbers of different workers.
    private mutating func numbers(_ count: Int) -> [Int] {
        var numbers: Set<Int> = []
        while numbers.count < count { numbers.insert(Int(random.next() % UInt64(Self.people))) }
        return numbers.sorted()
    }

    private func fetch(_ entity: String, _ numbers: [Int]) throws -> [ManagedObject] {
        var request = FetchRequest<ManagedObject>(entityName: entity)
        request.predicate = try PredicateTree(
            format: "number IN {\(numbers.map(String.init).joined(separator: ", "))}")
        return try context.fetch(request)
    }

    /// A request for workers with neighbouring numbers.
    private mutating func few(upTo count: Int = 12) throws -> FetchRequest<ManagedObject> {
        let first = Int(random.next() % UInt64(Self.people))
        var request = FetchRequest<ManagedObject>(entityName: "Worker")
        request.predicate = try PredicateTree(
            format: "number >= \(first) AND number < \(first + Int.random(in: 1...count, using: &random))")
        return request
    }
}
