import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

/// The largest predicates that there may be run; larger ones are a clear error.
@Suite struct PredicateLimitTests {
    private static func withStaff(
        _ body: @escaping @Sendable (ManagedObjectContext, [Employee]) throws -> Void
    ) async throws {
        try await withTestStore(Company.model()) { container in
            try await container.perform { context in
                let employees = (0..<20).map { number in
                    let employee = Employee(context: context)
                    (employee.firstName, employee.visits) = ("E\(number)", number)
                    return employee
                }
                try context.save()
                try body(context, employees)
            }
        }
    }

    private static func agree(
        _ tree: PredicateTree, _ context: ManagedObjectContext, _ employees: [Employee], finds count: Int,
        _ what: String
    ) throws {
        let found = try context.fetch(Employee.self, matching: tree)
        let evaluator = try PredicateEvaluator(tree)
        let expected = try employees.filter { try evaluator.evaluate($0) }
        #expect(Set(found) == Set(expected) && found.count == count, "\(what): \(found.count)")
    }

    @Test func tenThousandComparisonsRun() async throws {
        try await Self.withStaff { context, employees in
            let wide = (0..<10_000).map { PredicateTree.format("visits == %d", $0 * 2) }
            try Self.agree(.or(wide), context, employees, finds: 10, "any")
            try Self.agree(.not(.or(wide)), context, employees, finds: 10, "none")
            let all = (0..<10_000).map { PredicateTree.format("firstName != %@", "E\($0 + 10)") }
            try Self.agree(.and(all), context, employees, finds: 10, "all")
            #expect(PredicateTree.or(wide + [.true]).error?.code == .tooLarge)
        }
    }

    /// Poolers do not pass on that statements are not to be compiled, which takes a minute here.
    @Test(.needsSession) func thousandsOfSubQueriesRun() async throws {
        try await Self.withStaff { context, employees in
            let project = Project(context: context)
            project.title = "t7"
            for employee in employees.prefix(3) { employee.projects.insert(project) }
            try context.save()
            let wide = (0..<TestTier.choose(quick: 1_000, all: 3_000, nightly: 3_000)).map {
                PredicateTree.format("ANY projects.title == %@", "t\($0)")
            }
            try Self.agree(.or(wide), context, employees, finds: 3, "any")
            try Self.agree(.not(.or(wide)), context, employees, finds: 17, "none")
            // Two tables each, which are more than a statement may have.
            let large = PredicateTree.or(
                (0..<6_000).map { .format("ANY projects.members.firstName == %@", "e\($0)") })
            #expect(large.error == nil)
            let error = #expect(throws: FetchError.self) {
                try context.fetch(Employee.self, matching: large)
            }
            #expect(error?.code == .invalidRequest && error?.message.contains("more than 10000") == true)
        }
    }

    @Test func sixtyFourObjectsOfARowAreJoined() async throws {
        try await Self.withStaff { context, employees in
            let chain = { (steps: Int) -> PredicateTree in
                let names = (0..<steps).map { $0 % 2 == 0 ? "department" : "head" }
                let path = names + [steps % 2 == 0 ? "firstName" : "name"]
                return PredicateTree.format("%K == NULL", path.joined(separator: "."))
            }
            try Self.agree(chain(64), context, employees, finds: 20, "64")
            let error = #expect(throws: FetchError.self) {
                try context.fetch(Employee.self, matching: chain(65))
            }
            #expect(error?.code == .invalidRequest && error?.message.contains("more than 64 to-one") == true)
        }
    }

    @Test func theDeepestTreesRun() async throws {
        try await Self.withStaff { context, employees in
            // Each level adds one that matches, by AND and OR in turns, so that nothing can be flattened.
            var tree = PredicateTree.format("visits == 0")
            for level in 1...254 {
                let next = PredicateTree.format("visits == %d", level % 20)
                tree = level % 2 == 0 ? .and([.not(next), .not(tree)]) : .or([next, tree])
                if let error = tree.error {
                    #expect(error.code == .tooLarge && level > 120, "\(level): \(error)")
                    break
                }
            }
            var last = PredicateTree.format("visits == 0")
            for level in 1...128 {
                let next = PredicateTree.format("visits == %d", level % 20)
                let above = level % 2 == 0 ? PredicateTree.and([.not(next), last]) : .or([next, last])
                guard above.error == nil else { break }
                last = above
            }
            let expected = try employees.filter { try last.evaluate(with: $0) }
            #expect(Set(try context.fetch(Employee.self, matching: last)) == Set(expected))
            var negated = PredicateTree.format("visits == 0")
            for _ in 0..<100_000 { negated = .not(negated) }
            #expect(negated.error?.code == .tooLarge)
            #expect(throws: PredicateTreeError.self) { try context.fetch(Employee.self, matching: negated) }
            #expect(throws: PredicateTreeError.self) { try negated.evaluate(with: employees[0]) }
        }
    }

    @Test func aMillionValuesAreOneParameter() async throws {
        try await Self.withStaff { context, employees in
            let numbers = Array(0..<1_000_000)
            let evens = numbers.map { $0 * 2 }
            try Self.agree(.format("visits IN %@", evens), context, employees, finds: 10, "numbers")
            let person = KeyPathExpression(Employee.self)
            let names = numbers.map { "E\($0 * 3)" }
            try Self.agree(.format("firstName IN %@", names), context, employees, finds: 7, "texts")
            try Self.agree(
                .format("firstName IN[c] %@", Array(names.prefix(50_000))), context, employees, finds: 7,
                "folded")
            let id = employees[0].objectID
            let ids =
                employees.prefix(4).map(\.objectID)
                + numbers.dropFirst(4).map {
                    ObjectID(
                        storeIdentifier: id.storeIdentifier, entityName: "Employee",
                        key: Int64($0) + 1_000_000)
                }
            try Self.agree(person.isIn(ids), context, employees, finds: 4, "typed ids")
            #expect(PredicateTree.format("visits IN %@", evens + [1]).error?.code == .tooLarge)
            #expect(person.visits.isIn(evens + [1]).error?.code == .tooLarge)
            #expect(person.isIn(ids + [id]).error?.code == .tooLarge)
        }
    }
}
