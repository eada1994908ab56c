import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Two contexts that follow each other, whatever either of them does and has loaded.
@Suite(.timeLimit(.minutes(60))) struct MergeWalkTests {
    /// Without changes of its own, a context that merged shows what a fresh one shows.
    @Test(arguments: UInt64(1)...TestTier.choose(quick: 2, all: 12, nightly: 12))
    func aFollowerShowsTheStore(seed: UInt64) async throws {
        try await CompanyStore.with { store in
            let handles = [
                store.container.newBackgroundContext(), store.container.newBackgroundContext(),
            ]
            for handle in handles {
                try await handle.perform { $0.automaticallyMergesChangesFromParent = true }
            }
            var random = SeededGenerator(seed: seed)
            for step in 0..<25 {
                let next = random.next()
                try await handles[step % 2].perform { context in
                    var changes = RandomChanges(context, seed: next)
                    try changes.run()
                    try context.save()
                }
                let followed = try await handles[1 - step % 2].perform { try Graph.describe($0) }
                let fresh = try store.fresh { try Graph.describe($0) }
                #expect(followed == fresh, "seed \(seed), step \(step)")
                if followed != fresh { return }
            }
        }
    }

    /// With changes of its own, it keeps them, and shows what a fresh one shows once it saved them, without conflict.
    @Test(arguments: UInt64(1)...TestTier.choose(quick: 3, all: 16, nightly: 16))
    func unsavedChangesStayOnTop(seed: UInt64) async throws {
        try await CompanyStore.with { store in
            let handle = store.container.newBackgroundContext()
            var random = SeededGenerator(seed: seed)
            for step in 0..<20 {
                let (mine, theirs) = (random.next(), random.next())
                let isDone = try await handle.perform { context in
                    var changes = UnsavedChanges(context, seed: mine)
                    changes.run()
                    let notice = try store.saved { context in
                        var changes = RandomChanges(context, seed: theirs)
                        try changes.run()
                    }
                    try context.mergeChanges(from: notice)
                    for (id, visits) in changes.visits {
                        guard let employee = context.registeredObject(for: id) else { continue }
                        #expect(employee.visits == visits && employee.isUpdated, "seed \(seed), step \(step)")
                    }
                    // Delete rules, and counts with them, wait for the save.
                    let counts = context.deletedObjects.isEmpty
                    let shown = try Self.shown(context, counts: counts)
                    try context.save()
                    let (saved, fresh) = (
                        try Self.shown(context, counts: counts),
                        try store.fresh { try Self.shown($0, counts: counts) }
                    )
                    #expect(shown == saved, "seed \(seed), step \(step)")
                    #expect(saved == fresh, "seed \(seed), step \(step)")
                    let (described, all) = (
                        try Graph.describe(context), try store.fresh { try Graph.describe($0) }
                    )
                    #expect(described == all, "seed \(seed), step \(step)")
                    return shown == fresh && described == all
                }
                if !isDone { return }
            }
        }
    }

    /// The graph by names instead of ids, which new objects get when they are saved. What is to be deleted is gone.
    private static func shown(_ context: ManagedObjectContext, counts: Bool) throws -> [String] {
        func name(_ person: Employee?) -> String { person.map { $0.isDeleted ? "-" : $0.firstName } ?? "-" }
        func names(_ people: ToMany<Employee>) -> String {
            let count = counts ? "\(people.count) " : ""
            return count
                + "\(people.filter { !$0.isDeleted }.map { "\($0.firstName) \($0.visits)" }.sorted())"
        }
        let departments = try context.fetch(Department.self).map { department in
            "d\(department.key) \(department.name) \(names(department.employees)) \(name(department.head))"
        }
        let employees = try context.fetch(Employee.self).map { person in
            "e\(person.firstName) \(person.visits) \(person.lastName ?? "-") \(person.department?.name ?? "-") "
                + "\(person.projects.map(\.title).sorted()) \(person.heads?.name ?? "-")"
        }
        let projects = try context.fetch(Project.self).map { project in
            "p\(project.key) \(project.title) \(names(project.members))"
        }
        return (departments + employees + projects).sorted()
    }
}
