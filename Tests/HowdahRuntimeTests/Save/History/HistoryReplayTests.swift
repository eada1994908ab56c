import HowdahModel
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// The history, applied to the rows as they were, gives the rows as they are.
@Suite(.timeLimit(.minutes(60))) struct HistoryReplayTests {
    private static let seeds = (1...TestTier.choose(quick: 1, all: 12, nightly: 200)).map { UInt64($0) }

    @Test(arguments: seeds) func savesOfCompanyAreReplayed(seed: UInt64) async throws {
        let model = try Company.model()
        try await withHistory(model) { container, sql in
            var replay = try HistoryReplay(model, sql)
            let handle = container.newBackgroundContext()
            var random = SeededGenerator(seed: seed)
            for step in 0..<20 {
                let next = random.next()
                let isolation: Isolation? = Bool.random(using: &random) ? .readCommitted : nil
                try await handle.perform(isolation: isolation) { context in
                    var changes = RandomChanges(context, seed: next)
                    try changes.run()
                    try context.save()
                    if next % 4 == 1 {
                        // What the context knows is out of date afterwards.
                        try Self.batch(context, seed: next)
                        context.reset()
                    }
                    if next % 3 == 0 {
                        var changes = RandomChanges(context, seed: ~next)
                        try changes.run()
                        try context.save()
                    }
                }
                let differences = try replay.differences()
                #expect(differences == [], "seed \(seed), step \(step)")
                if !differences.isEmpty { return }
            }
        }
    }

    private static func batch(_ context: ManagedObjectContext, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let departments = try context.fetch(Department.self).map(\.objectID)
        let department = departments.randomElement(using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            _ = try context.execute(
                BatchUpdateRequest(
                    Employee.self, matching: PredicateTree(format: "visits < 2"),
                    set: ["lastName": .value("b\(seed % 1_000)"), "visits": .increment(by: 1)]))
        case 1:
            _ = try context.execute(
                BatchUpdateRequest(
                    Employee.self, matching: PredicateTree(format: "visits < 3"),
                    set: ["department": .value(department)]
                ))
        case 2:
            _ = try context.execute(
                BatchDeleteRequest(Employee.self, matching: PredicateTree(format: "visits > 1")))
        case 3:
            guard let department else { return }
            _ = try context.execute(BatchDeleteRequest(objectIDs: [department]))
        case 4:
            let rows: [BatchInsertRow] = (0..<Int.random(in: 1...20, using: &random)).map { number in
                department.map { ["firstName": "n\(number)", "department": $0] } ?? [
                    "firstName": "n\(number)"
                ]
            }
            _ = try context.execute(BatchInsertRequest(Employee.self, objects: rows))
        default:
            // Those who are in a department of another name.
            _ = try context.execute(
                BatchUpdateRequest(
                    Employee.self, matching: PredicateTree(format: "department.name != 'x'"),
                    set: ["visits": 5]))
        }
    }

    /// Runs a random batch request on an entity of a random model.
    private static func batch(_ graph: RandomGraph, _ context: ManagedObjectContext, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let entity = random.pick(graph.model.entities)
        let request = FetchRequest<ManagedObject>(entityName: entity.name)
        let ids = try context.fetch(request).map(\.objectID).sorted { $0.key < $1.key }
        let some = ids.filter { _ in random.chance(30) }
        let toOnes = entity.properties.compactMap { property -> RelationshipDescription? in
            guard case .relationship(let relationship) = property.kind else { return nil }
            return relationship.isToMany ? nil : relationship
        }
        func destination(_ relationship: RelationshipDescription) throws -> ObjectID<ManagedObject>? {
            try context.fetch(FetchRequest<ManagedObject>(entityName: relationship.destination)).map(
                \.objectID
            )
            .randomElement(using: &random)
        }
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            var few = request
            few.predicate = try PredicateTree(format: "number < \(Int.random(in: -5...5, using: &random))")
            try context.execute(BatchUpdateRequest(few, set: ["number": .increment(by: 1)]))
        case 1:
            guard let relationship = toOnes.randomElement(using: &random) else { return }
            try context.execute(
                BatchUpdateRequest(request, set: [relationship.name: .value(try destination(relationship))]))
        case 2: try context.execute(BatchDeleteRequest(objectIDs: some))
        case 3:
            var few = request
            few.predicate = try PredicateTree(format: "number < -3")
            try context.execute(BatchDeleteRequest(few))
        default:
            let rows = try (0..<Int.random(in: 1...4, using: &random)).map { _ in
                var row: [String: (any Sendable)?] = [
                    "number": Int64.random(in: -5...5, using: &random),
                    "code": "code \(UInt64.random(in: 0..<20, using: &random))",
                ]
                for relationship in toOnes where random.chance(70) {
                    if let id = try destination(relationship) { row[relationship.name] = id }
                }
                return BatchInsertRow(row)
            }
            try context.execute(
                BatchInsertRequest(
                    ManagedObject.self, entityName: entity.name, objects: rows,
                    uniqueness: random.pick([.error, .overwrite, .mergeByPropertyObjectTrump, .rollback])))
        }
    }

    @Test(arguments: seeds) func savesOfRandomModelsAreReplayed(seed: UInt64) async throws {
        let graph = try RandomGraph(seed: seed, hasOneWay: seed % 2 == 1)
        try await withHistory(graph.model) { container, sql in
            var replay = try HistoryReplay(graph.model, sql)
            let handle = container.newBackgroundContext()
            var random = SeededGenerator(seed: seed)
            for step in 0..<40 {
                let next = random.next()
                let isolation: Isolation? = random.chance(30) ? .readCommitted : nil
                try? await handle.perform(isolation: isolation) { context in
                    for part in 0..<(isolation == nil ? 1 : 3) {
                        var changes = try RandomGraphChanges(graph, context, seed: next &+ UInt64(part))
                        changes.run()
                        do { try context.save() } catch { context.rollback() }
                        if (next >> UInt64(8 + part)) & 3 == 0 {
                            // Some rules refuse the request, and the rest of the unit goes on.
                            try? Self.batch(graph, context, seed: next &+ UInt64(part))
                            context.reset()
                        }
                    }
                }
                let differences = try replay.differences()
                #expect(differences == [], "seed \(seed), step \(step)\n\(graph.summary)")
                if !differences.isEmpty { return }
            }
        }
    }
}
