import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

/// Which entity an object is of, asked by all front ends, in the database and in memory.
@Suite struct EntityPredicateTests {
    private static func withStaff(
        _ body: @escaping @Sendable (ManagedObjectContext, [Person]) throws -> Void
    ) async throws {
        try await withTestStore(Staff.model()) { container in
            try await container.perform { context in
                let (person, worker, boss) = (
                    Person(context: context), Worker(context: context), Boss(context: context)
                )
                (person.name, worker.name, boss.name) = ("p", "w", "b")
                (person.friend, worker.friend) = (boss, person)
                worker.boss = boss
                try context.save()
                try body(context, [person, worker, boss])
            }
        }
    }

    private static func expect(
        _ tree: PredicateTree, _ names: String, _ context: ManagedObjectContext, _ people: [Person],
        location: SourceLocation = #_sourceLocation
    ) throws {
        let found = try context.fetch(Person.self, matching: tree, sortedBy: .ascending(\.name))
        #expect(found.map(\.name).joined() == names, "\(tree)", sourceLocation: location)
        let kept = try people.filter { try tree.evaluate(with: $0) }
        #expect(kept.map(\.name).sorted().joined() == names, "\(tree) in memory", sourceLocation: location)
        #expect(try PredicateTree(format: tree.description) == tree, sourceLocation: location)
        let decoded = try JSONDecoder().decode(PredicateTree.self, from: JSONEncoder().encode(tree))
        #expect(decoded == tree, sourceLocation: location)
    }

    @Test func formatsNameTheEntity() async throws {
        try await Self.withStaff { context, people in
            for (format, names) in [
                ("entity.name == 'Boss'", "b"), ("entity == 'Worker'", "w"),
                ("entity.name != 'Worker'", "bp"),
                ("NOT entity.name IN {'Boss', 'Person'}", "w"), ("entity.name IN {'Boss', 'Worker'}", "bw"),
                ("entity.name BEGINSWITH 'P'", "p"), ("friend.entity.name == 'Boss'", "p"),
                ("friend.entity.name != 'Boss'", "bw"), ("friend.entity == NULL", "b"),
                ("entity.lineage CONTAINS 'Worker'", "bw"), ("entity.lineage CONTAINS 'Person'", "bpw"),
                ("NOT friend.entity.lineage CONTAINS 'Worker'", "bw"),
                ("ANY admirers.entity.name == 'Person'", "b"),
                ("SELF.entity.name ==[c] 'boss'", "b"), ("entity.lineage CONTAINS 'Nobody'", ""),
            ] { try Self.expect(PredicateTree(format: format), names, context, people) }
            let entity = try #require(Worker.entity)
            try Self.expect(PredicateTree(format: "entity == %@", arguments: [entity]), "w", context, people)
        }
    }

    @Test func typesCountWithTheirSubentities() async throws {
        try await Self.withStaff { context, people in
            try Self.expect(PredicateTree(#Predicate<Person> { $0 is Boss }), "b", context, people)
            try Self.expect(PredicateTree(#Predicate<Person> { $0 is Worker }), "bw", context, people)
            try Self.expect(PredicateTree(#Predicate<Person> { !($0 is Worker) }), "p", context, people)
            try Self.expect(PredicateTree(#Predicate<Person> { $0.friend is Boss }), "p", context, people)
            let person = KeyPathExpression(Person.self)
            try Self.expect(person.isKind(of: Worker.self), "bw", context, people)
            try Self.expect(person.friend.isKind(of: Boss.self), "p", context, people)
            #expect(person.isKind(of: Boss.self) == (try PredicateTree(#Predicate<Person> { $0 is Boss })))
        }
    }

    @Test func entitiesWithoutAHierarchyHaveANameToo() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 1, employees: 2)
            try await container.perform { context in
                let employees = try context.fetch(Employee.self)
                employees[0].department = nil
                try context.save()
                for (format, count) in [
                    ("entity.name == 'Employee'", 2), ("entity.name == 'Department'", 0),
                    ("entity.lineage CONTAINS 'Employee'", 2), ("department.entity.name == 'Department'", 1),
                    ("department.entity == NULL", 1),
                    ("NOT department.entity.lineage CONTAINS 'Department'", 1),
                ] {
                    let tree = try PredicateTree(format: format)
                    #expect(try context.count(Employee.self, matching: tree) == count, "\(format)")
                    #expect(try employees.filter { try tree.evaluate(with: $0) }.count == count, "\(format)")
                }
                #expect(throws: PredicateTreeError.self) {
                    try context.count(Employee.self, matching: .format("entity.nmae == 'x'"))
                }
                #expect(throws: PredicateTreeError.self) {
                    try PredicateTree(format: "entity.nmae == 'x'").evaluate(with: employees[0])
                }
            }
        }
    }
}
