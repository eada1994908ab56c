import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Whatever a save does, every derived attribute follows from the rest, in the database and in the context.
@Suite struct RandomDerivedTests {
    /// Does one thing at random to a graph of ``DerivedModel``, and saves nothing.
    static func act(_ context: ManagedObjectContext, _ random: inout SeededGenerator) throws {
        func all(_ entity: String) throws -> [ManagedObject] {
            let pending = context.insertedObjects.filter { $0.entityName == entity && !$0.isDeleted }
            return try context.fetch(FetchRequest<ManagedObject>(entityName: entity)).filter { !$0.isDeleted }
                + pending
        }
        func some(_ entity: String) throws -> ManagedObject? { random.pick([nil] + (try all(entity))) }
        func named(_ entity: String) -> ManagedObject {
            let object = context.insert(entity)
            object["name"] = random.pick(["É", "Straße", "ΑΣ", "x"])
            return object
        }
        switch Int.random(in: 0..<16, using: &random) {
        case 0: _ = named("Firm")
        case 1: named("Department")["firm"] = try some("Firm")
        case 2, 3:
            let employee = named("Employee")
            employee["department"] = try some("Department")
            employee["salary"] = random.chance(20) ? nil : Decimal(Int.random(in: 1...99, using: &random))
        case 4:
            let boss = named("Boss")
            boss["title"] = "Dr"
            if let department = try some("Department") { boss.members(forKey: "leads").insert(department) }
        case 5: context.insert("Skill")["weight"] = Int.random(in: 1...9, using: &random)
        case 6:
            let desk = context.insert("Desk")
            desk["code"] = "\(Int.random(in: 1...99, using: &random))"
            desk["owner"] = try some("Employee")
        case 7: try some("Firm")?.setValue("\(Int.random(in: 1...99, using: &random))", forKey: "name")
        case 8: try some("Department")?.setValue(try some("Firm"), forKey: "firm")
        case 9, 10: try some("Employee")?.setValue(try some("Department"), forKey: "department")
        case 11:
            try some("Employee")?.setValue(Decimal(Int.random(in: 1...99, using: &random)), forKey: "salary")
        case 12:
            guard let skill = try some("Skill"), let employee = try some("Employee") else { return }
            let holders = skill.members(forKey: "holders")
            if random.chance(60) { holders.insert(employee) } else { holders.remove(employee) }
        case 13: try some("Skill")?.setValue(Int.random(in: 1...9, using: &random), forKey: "weight")
        case 14: try some("Desk")?.setValue(try some("Employee"), forKey: "owner")
        default:
            let entity = random.pick(["Firm", "Department", "Employee", "Boss", "Skill", "Desk"])
            if let object = try some(entity) { context.delete(object) }
        }
    }

    @Test(arguments: UInt64(1)...TestTier.choose(quick: 1, all: 4, nightly: 4))
    func everythingFollows(seed: UInt64) async throws {
        try await withStore(DerivedModel.model()) { container, sql in
            var random = SeededGenerator(seed: seed)
            for _ in 0..<6 {
                let start = random
                random = try await container.perform { context in
                    var random = start
                    for step in 0..<8 {
                        for _ in 0..<Int.random(in: 1...12, using: &random) { try Self.act(context, &random) }
                        try context.save()
                        let (rows, objects) = (
                            try DerivedModel.wrongRows(sql), try DerivedModel.wrongObjects(context)
                        )
                        #expect(rows == [], "seed \(seed), step \(step)")
                        #expect(objects == [], "seed \(seed), step \(step)")
                        if !rows.isEmpty || !objects.isEmpty { return random }
                    }
                    return random
                }
            }
            #expect(try sql.value("SELECT (sum(headcount) > 5)::text FROM department") == "true")
        }
    }
}
