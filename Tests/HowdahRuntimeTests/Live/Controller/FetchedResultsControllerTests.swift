import Foundation
import Howdah
import SeededRandom
import TestSupport
import Testing

@testable import HowdahRuntime

/// Controllers on the view context: the calls of their delegates, and their objects after random work.
@Suite(.timeLimit(.minutes(60))) @MainActor struct FetchedResultsControllerTests {
    /// Writes the calls down.
    final class Recorder: FetchedResultsControllerDelegate {
        var calls: [String] = []
        var former: [String] = []

        func controllerWillChangeContent(_ controller: FetchedResultsController<Employee>) {
            calls.append("will")
            former = controller.fetchedObjects?.map(\.firstName) ?? []
        }

        func controller(
            _ controller: FetchedResultsController<Employee>,
            didChange section: FetchedResultsSectionInfo<Employee>, atSectionIndex index: Int,
            for type: FetchedResultsChangeType
        ) {
            calls.append("\(type) section \(section.name) \(index)")
        }

        func controller(
            _ controller: FetchedResultsController<Employee>, didChange object: Employee,
            at indexPath: ResultIndexPath?, for type: FetchedResultsChangeType,
            newIndexPath: ResultIndexPath?
        ) {
            func text(_ path: ResultIndexPath?) -> String { path.map { "\($0.section).\($0.row)" } ?? "-" }
            calls.append("\(type) \(text(indexPath)) \(text(newIndexPath))")
        }

        func controllerDidChangeContent(_ controller: FetchedResultsController<Employee>) {
            calls.append("did")
        }

        func take() -> [String] {
            defer { calls = [] }
            return calls
        }
    }

    private func employee(_ name: String, _ visits: Int, in context: ManagedObjectContext) -> Employee {
        let employee = Employee(context: context)
        (employee.firstName, employee.visits) = (name, visits)
        return employee
    }

    @Test func delegatesAreCalledAsInCoreData() async throws {
        try await CompanyStore.with { store in
            let context = store.container.viewContext
            let (a, c) = (employee("a", 1, in: context), employee("c", 1, in: context))
            try context.save()
            var request = FetchRequest(where: #Predicate<Employee> { $0.visits < 10 })
            request.sortDescriptors = [.ascending(\.visits), .ascending(\.firstName)]
            let controller = FetchedResultsController(request, in: context, sectionNameKeyPath: "visits")
            let recorder = Recorder()
            controller.delegate = recorder
            #expect(controller.fetchedObjects == nil)
            try controller.performFetch()
            #expect(controller.fetchedObjects == [a, c] && recorder.calls == [])
            #expect(controller.sections?.map(\.name) == ["1"])

            let b = employee("b", 1, in: context)
            context.processPendingChanges()
            #expect(recorder.take() == ["will", "insert - 0.1", "did"])
            #expect(recorder.former == ["a", "c"])
            #expect(controller.indexPath(forObject: c) == ResultIndexPath(section: 0, row: 2))
            #expect(controller.object(at: ResultIndexPath(section: 0, row: 1)) === b)

            // A save changes ids and no objects.
            try context.save()
            #expect(recorder.take() == [])

            a.visits = 2
            context.processPendingChanges()
            #expect(recorder.take() == ["will", "insert section 2 1", "move 0.0 1.0", "did"])
            b.lastName = "x"
            context.processPendingChanges()
            #expect(recorder.take() == ["will", "update 0.0 0.0", "did"])
            a.visits = 20
            context.delete(c)
            context.processPendingChanges()
            #expect(
                recorder.take() == ["will", "delete section 2 1", "delete 0.1 -", "delete 1.0 -", "did"])
            context.rollback()
            #expect(
                recorder.take() == [
                    "will", "insert section 1 0", "delete 0.0 -", "insert - 0.0", "did",
                ] || Set(controller.fetchedObjects ?? []) == Set([a, b, c]))
            context.reset()
            #expect(controller.fetchedObjects == nil)
            try controller.performFetch()
            #expect(controller.fetchedObjects?.map(\.firstName) == ["a", "b", "c"])
        }
    }

    @Test func sectionsThatAreNotTogetherAreRefused() async throws {
        try await CompanyStore.with { store in
            let context = store.container.viewContext
            for (name, visits) in [("a", 1), ("b", 2), ("c", 1)] { _ = employee(name, visits, in: context) }
            var request = FetchRequest<Employee>()
            request.sortDescriptors = [.ascending(\.firstName)]
            let controller = FetchedResultsController(request, in: context, sectionNameKeyPath: "visits")
            #expect {
                try controller.performFetch()
            } throws: { ($0 as? FetchError)?.message.contains("not together") == true }
        }
    }

    /// The same key paths are refused for a followed result.
    @Test(
        arguments: [
            ("firstNam", "Did you mean 'firstName'?"), ("", "is empty"),
            ("department.nam", "Did you mean 'name'?"),
            ("department", "is a relationship"), ("projects.title", "to-many"), ("location", "location"),
        ])
    func keyPathsThatNameNoSectionsAreRefused(path: String, text: String) async throws {
        try await LiveStore.with { store in
            let context = store.container.viewContext
            var request = FetchRequest<Employee>()
            request.sortDescriptors = [.ascending(\.firstName)]
            let controller = FetchedResultsController(request, in: context, sectionNameKeyPath: path)
            func isRefusal(_ error: any Error) -> Bool { "\(error)".contains(text) }
            #expect { try controller.performFetch() } throws: { isRefusal($0) }
            var loop = store.container.fetchedResults(request, sectionedBy: path).makeAsyncIterator()
            do {
                _ = try await loop.next()
                Issue.record("\(path) was accepted.")
            } catch {
                #expect(isRefusal(error), "\(error)")
            }
        }
    }

    /// The controller is not retained by its context, and follows no more when it is gone.
    @Test func controllersEnd() async throws {
        try await CompanyStore.with { store in
            let context = store.container.viewContext
            var controller: FetchedResultsController<Employee>? = FetchedResultsController(
                FetchRequest(), in: context)
            weak let ended = controller
            try controller?.performFetch()
            controller = nil
            #expect(ended == nil)
            _ = employee("a", 1, in: context)
            context.processPendingChanges()
            try context.save()
        }
    }

    @Test func controllersFollowOtherProcesses() async throws {
        try await LiveStore.with { store in
            let context = store.container.viewContext
            context.automaticallyMergesChangesFromParent = true
            var request = FetchRequest<Employee>()
            request.sortDescriptors = [.ascending(\.firstName)]
            let controller = FetchedResultsController(request, in: context)
            try controller.performFetch()
            let id = try await store.other.perform { context in
                let employee = Employee(context: context)
                employee.firstName = "b"
                try context.save()
                return employee.objectID
            }
            try await until { controller.fetchedObjects?.map(\.objectID) == [id] }
            try await store.other.perform { context in
                let employee = Employee(context: context)
                employee.firstName = "c"
                try context.existingObject(with: id).firstName = "d"
                try context.save()
            }
            try await until { controller.fetchedObjects?.map(\.firstName) == ["c", "d"] }
            try await store.other.perform { context in
                context.delete(try context.existingObject(with: id))
                try context.save()
            }
            try await until { controller.fetchedObjects?.map(\.firstName) == ["c"] }
        }
    }

    private func until(_ condition: () -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(120)
        while !condition() {
            guard .now < end else {
                Issue.record("It did not happen within 120 s.")
                return
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Replays the calls of the delegate on a copy.
    final class Copy: FetchedResultsControllerDelegate {
        var sections: [[Employee]]
        private var removed: [ResultIndexPath] = []
        private var added: [(ResultIndexPath, Employee)] = []
        private var deleted: [Int] = []
        private var inserted: [Int] = []

        init(_ controller: FetchedResultsController<Employee>) {
            sections = controller.sections?.map(\.objects) ?? []
        }

        func controller(
            _ controller: FetchedResultsController<Employee>,
            didChange section: FetchedResultsSectionInfo<Employee>, atSectionIndex index: Int,
            for type: FetchedResultsChangeType
        ) {
            if type == .insert { inserted.append(index) } else { deleted.append(index) }
        }

        func controller(
            _ controller: FetchedResultsController<Employee>, didChange object: Employee,
            at indexPath: ResultIndexPath?, for type: FetchedResultsChangeType,
            newIndexPath: ResultIndexPath?
        ) {
            guard type != .update else { return }
            if let indexPath { removed.append(indexPath) }
            if let newIndexPath { added.append((newIndexPath, object)) }
        }

        func controllerDidChangeContent(_ controller: FetchedResultsController<Employee>) {
            for path in removed.sorted(by: >) { sections[path.section].remove(at: path.row) }
            for place in deleted.sorted(by: >) { sections.remove(at: place) }
            for place in inserted.sorted() { sections.insert([], at: place) }
            for (path, object) in added.sorted(by: { $0.0 < $1.0 }) {
                sections[path.section].insert(object, at: path.row)
            }
            (removed, added, deleted, inserted) = ([], [], [], [])
        }
    }

    @Test func randomWorkIsFollowed() async throws {
        let rounds = TestTier.choose(quick: 10, all: 60, nightly: 400)
        for seed in 0..<rounds {
            try await CompanyStore.with { store in
                var random = SeededGenerator(seed: UInt64(seed))
                let context = store.container.viewContext
                var request = FetchRequest<Employee>()
                request.predicate = random.pick([
                    nil, .format("visits < 3"), .format("department.budget > 5"), .format("firstName != 'c'"),
                ])
                request.sortDescriptors = random.pick([
                    [.ascending(\.visits), .ascending(\.firstName)], [.descending(\.visits)],
                ])
                request.fetchLimit = random.pick([0, 0, 3])
                let controller = FetchedResultsController(
                    request, in: context, sectionNameKeyPath: random.chance(50) ? "visits" : nil)
                try controller.performFetch()
                let copy = Copy(controller)
                controller.delegate = copy
                for step in 0..<40 {
                    try work(context, &random)
                    context.processPendingChanges()
                    let fresh = try context.fetch(request)
                    #expect(controller.fetchedObjects == fresh, "seed \(seed), step \(step)")
                    #expect(copy.sections.flatMap { $0 } == fresh, "seed \(seed), step \(step)")
                    #expect(copy.sections.count == controller.sections?.count, "seed \(seed), step \(step)")
                    if let failure = context.failure { throw failure }
                }
            }
        }
    }

    private func work(_ context: ManagedObjectContext, _ random: inout SeededGenerator) throws {
        let people = try context.fetch(FetchRequest<Employee>())
        let departments = try context.fetch(FetchRequest<Department>())
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1, 2:
            let (name, visits) = (random.pick(["a", "b", "c"]), Int.random(in: 0..<6, using: &random))
            _ = employee(name, visits, in: context)
        case 3: people.randomElement(using: &random)?.visits = Int.random(in: 0..<6, using: &random)
        case 4: people.randomElement(using: &random)?.firstName = random.pick(["a", "b", "c", "d"])
        case 5: if let one = people.randomElement(using: &random) { context.delete(one) }
        case 6:
            let department = Department(context: context)
            department.name = "\(UInt64.random(in: 0 ... .max, using: &random))"
            department.budget = random.pick([0, 10])
        case 7: people.randomElement(using: &random)?.department = departments.randomElement(using: &random)
        case 8: departments.randomElement(using: &random)?.budget = random.pick([0, 10])
        default: if random.chance(70) { try context.save() } else { context.rollback() }
        }
    }
}
