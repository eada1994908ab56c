import Foundation
public import HowdahModel
public import HowdahRuntime
import PQClient

/// Programs that change workers, teams and skills in all ways of the library: saves, transactions of several saves,
/// batches, upserts, deletions, and what is rolled back.
///
/// Many changes are of one worker, others of up to hundreds. Half of the small ones are of few workers, so that programs
/// meet.
public struct RandomWorkers {
    /// The number of workers, as long as none is deleted.
    public static let people = 10_000
    /// The number of workers that half of the small changes are of.
    private static let popular = 300
    private static let teams = 200
    private static let skills = 40

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
            // Workers of one team are neighbours, so that a change of many is one of few teams.
            for (number, worker) in workers.enumerated() {
                worker["team"] = teams[number * teams.count / workers.count]
            }
            try context.save()
        }
    }

    /// Changes objects until the task is cancelled. Conflicts and lost connections end a unit of work only.
    public static func work(in container: PersistentContainer, seed: UInt64) async {
        var random = SeededGenerator(seed: seed)
        while !Task.isCancelled {
            let (seed, isTransaction) = (random.next(), random.chance(40))
            do {
                try await container.perform(isolation: isTransaction ? .readCommitted : nil) { context in
                    var unit = RandomWorkers(context: context, random: SeededGenerator(seed: seed))
                    if isTransaction { try unit.transact() } else { try unit.change() }
                }
            } catch {
                // The server may have crashed.
                try? await Task.sleep(for: .milliseconds(5))
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
                let workers = try fetch("Worker", range(2))
                if workers.count == 2 { workers[0]["number"] = workers[1]["number"] }
                do { try context.save() } catch let error as SaveError where error.code == .uniqueness {}
                context.rollback()
            }
        }
        if random.chance(10) { throw Undone() }
    }

    private mutating func change() throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<6: try save()
        case 6..<10: try saveLinks()
        case 10..<12: try delete()
        case 12..<14:
            try context.execute(
                BatchUpdateRequest(request(range(size())), set: ["points": .increment(by: 1)]))
        case 14..<16:
            let workers = range(size())
            let team = try fetch("Team", team(of: workers)).first?.objectID
            try context.execute(BatchUpdateRequest(request(workers), set: ["team": .value(team)]))
        case 16: try context.execute(BatchDeleteRequest(request(range(size(upTo: 30)))))
        default: try upsert()
        }
    }

    private mutating func save() throws {
        let workers = range(size())
        let team = random.chance(30) ? try fetch("Team", team(of: workers)).first : nil
        for worker in try fetch("Worker", workers) {
            worker["points"] = (worker["points"] as? Int64 ?? 0) + 1
            if let team { worker["team"] = team }
        }
        try context.save()
    }

    private mutating func saveLinks() throws {
        let number = random.pick(Array(0..<Self.skills))
        guard let skill = try fetch("Skill", number..<number + 1).first else { return }
        for worker in try fetch("Worker", range(size(upTo: 30))) {
            let skills = worker.members(forKey: "skills")
            if skills.contains(skill) { skills.remove(skill) } else { skills.insert(skill) }
        }
        try context.save()
    }

    private mutating func delete() throws {
        for worker in try fetch("Worker", range(size(upTo: 30))) { context.delete(worker) }
        try context.save()
    }

    private mutating func upsert() throws {
        let numbers = range(max(2, size()))
        let first = team(of: numbers).lowerBound
        let teams = try fetch("Team", first..<min(first + 3, Self.teams)).map(\.objectID)
        let rows = numbers.map { number -> BatchInsertRow in
            ["number": Int64(number), "points": Int64(random.next() % 100), "team": random.pick(teams)]
        }
        try context.execute(
            BatchInsertRequest(
                ManagedObject.self, entityName: "Worker", objects: rows,
                uniqueness: random.pick([.overwrite, .mergeByPropertyObjectTrump])))
    }

    /// A number of workers: often one, seldom hundreds.
    private mutating func size(upTo limit: Int = 500) -> Int {
        let count =
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<40: 1
            case 40..<60: Int.random(in: 2...12, using: &random)
            case 60..<78: Int.random(in: 13...100, using: &random)
            default: Int.random(in: 101...500, using: &random)
            }
        return min(count, limit)
    }

    /// Neighbouring numbers of workers.
    private mutating func range(_ count: Int) -> Range<Int> {
        let end = count <= 12 && random.chance(50) ? Self.popular : Self.people
        let first = Int.random(in: 0..<max(1, end - count), using: &random)
        return first..<first + count
    }

    /// The number of a team that workers have, or of the next one.
    private mutating func team(of workers: Range<Int>) -> Range<Int> {
        let own = workers.lowerBound * Self.teams / Self.people
        let chosen = min(own + (random.chance(50) ? 1 : 0), Self.teams - 1)
        return chosen..<chosen + 1
    }

    private func fetch(_ entity: String, _ numbers: Range<Int>) throws -> [ManagedObject] {
        try context.fetch(request(numbers, of: entity))
    }

    private func request(
        _ numbers: Range<Int>, of entity: String = "Worker"
    ) throws -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entityName: entity)
        request.predicate = try PredicateTree(
            format: "number >= \(numbers.lowerBound) AND number < \(numbers.upperBound)")
        return request
    }
}
