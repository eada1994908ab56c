import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import SeededRandom
import TestSupport
import Testing

/// Predicates that come as JSON, from whomever.
@Suite struct StoredPredicateTests {
    private static func decoded(_ format: String) throws -> PredicateTree {
        let data = try JSONEncoder().encode([format])
        return try #require(try JSONDecoder().decode([PredicateTree].self, from: data).first)
    }

    @Test func whatDoesNotFitTheModelIsAClearError() async throws {
        try await withTestStore(Company.model()) { container in
            try await container.perform { context in
                let employee = Employee(context: context)
                employee.firstName = "a"
                try context.save()
                for (format, code, part) in [
                    ("fristName == 'a'", PredicateTreeError.Code.unknownKey, "Did you mean 'firstName'"),
                    ("department.nmae == 'a'", .unknownKey, "'name'"),
                    ("projects.title == 'a'", .invalidOperand, "ANY"),
                    ("visits == 'a'", .argumentType, "visits"),
                    ("firstName == $name", .unboundVariable, "$name"),
                    ("location.height > 1", .unknownKey, "latitude, longitude"),
                ] {
                    let tree = try Self.decoded(format)
                    #expect { try context.fetch(Employee.self, matching: tree) } throws: { error in
                        guard let error = error as? PredicateTreeError else { return false }
                        return error.code == code && error.message.contains(part)
                    }
                    #expect(throws: PredicateTreeError.self, "\(format)") {
                        try context.count(Employee.self, matching: tree)
                    }
                }
                for format in ["fristName == 'a'", "firstName == $name", "location.height > 1"] {
                    let tree = try Self.decoded(format)
                    employee.location = Location(latitude: 1, longitude: 1)
                    #expect(throws: PredicateTreeError.self, "\(format)") {
                        try tree.evaluate(with: employee)
                    }
                }
            }
        }
    }

    /// Trees are cut up and put together again; what still decodes is run, or refused.
    @Test func alteredTreesRunOrAreRefused() async throws {
        try await withTestStore(ManagedObjectModel(Sample.self)) { container in
            try await container.perform { context in
                let seed: UInt64 = 91
                var random = RandomValues(seed: seed)
                let objects = (0..<6).map { _ in
                    let object = Sample(context: context)
                    object.fill(&random)
                    return object
                }
                for object in objects { object.owner = random.generator.pick(objects) }
                try context.save()
                let ids = objects.map {
                    Value.reference(ObjectReference(key: $0.objectID.key, entity: "Sample"))
                }
                var trees = RandomSamplePredicates(seed: seed + 1, objectIDs: ids)
                let strange = [
                    "owned", "ANY", "@count", "NULL", "'x'", "$v", "-1", "nope", "{1, 2}", "IN", "place",
                    "5e300",
                ]
                var (ran, refused, malformed) = (0, 0, 0)
                for round in 0..<1_500 {
                    var words = trees.tree().description.split(separator: " ").map(String.init)
                    for _ in 0..<Int.random(in: 1...3, using: &random.generator) where !words.isEmpty {
                        let place = Int.random(in: 0..<words.count, using: &random.generator)
                        switch Int.random(in: 0..<3, using: &random.generator) {
                        case 0: words[place] = random.generator.pick(strange)
                        case 1: words.swapAt(place, Int.random(in: 0..<words.count, using: &random.generator))
                        default: words.remove(at: place)
                        }
                    }
                    let format = words.joined(separator: " ")
                    guard let tree = try? Self.decoded(format) else {
                        malformed += 1
                        continue
                    }
                    do {
                        let found = try context.fetch(Sample.self, matching: tree)
                        ran += 1
                        let expected = try objects.filter { try tree.evaluate(with: $0) }
                        #expect(Set(found) == Set(expected), "seed \(seed), round \(round): \(tree)")
                    } catch let error as PredicateTreeError {
                        refused += 1
                        #expect(!error.message.isEmpty)
                        // Memory may know what the database cannot run, or refuse it as well.
                        for object in objects { _ = try? tree.evaluate(with: object) }
                    } catch {
                        Issue.record("seed \(seed), round \(round): \(tree)\n\(error)")
                        context.clearFailure()
                    }
                }
                #expect(ran > 20 && refused > 20 && malformed > 100, "\(ran), \(refused), \(malformed)")
            }
        }
    }
}
