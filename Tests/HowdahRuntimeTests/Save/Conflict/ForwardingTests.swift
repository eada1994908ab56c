import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// A new object whose row another registered object stands for: from the save on, the two references are one object for
/// the program.
@Suite(.timeLimit(.minutes(60))) struct ForwardingTests {
    /// Stores a department, fetches it, makes a new one with the same name and saves.
    nonisolated(nonsending)
        static func withTwins(
            undo: Bool = false,
            _ body:
                @escaping @Sendable (_ new: Department, _ known: Department, ManagedObjectContext) throws ->
                Void
        ) async throws
    {
        try await CompanyStore.with { store in
            try store.execute(
                "INSERT INTO department (_id, _version, name, budget) VALUES (7000, 1, 'Research', 7)")
            try await store.container.perform { context in
                context.mergePolicy = .mergeByPropertyObjectTrump
                if undo { context.undoManager = UndoStack() }
                let known = try #require(try context.fetch(FetchRequest<Department>()).first)
                let new = Department(context: context)
                new.name = "Research"
                try context.save()
                try body(new, known, context)
            }
        }
    }

    @Test func bothAreEqualAndHaveTheSameState() async throws {
        try await Self.withTwins { new, known, context in
            #expect(new == known && known == new && new !== known)
            let (optionalNew, optionalKnown): (Department?, Department?) = (new, known)
            #expect(
                optionalNew == optionalKnown && optionalNew == known && optionalNew != nil && !(new != known))
            #expect([known].contains(known) && ![known].contains(new))
            #expect(new.objectID == known.objectID && context.registeredObjects == [known])
            #expect(
                new.managedObjectContext === context && !new.isFault && !new.isInserted && !new.hasChanges)
            #expect(new.budget == 7 && new["budget"] as? Decimal == 7)
            known.budget = 8
            #expect(new.budget == 8 && new.isUpdated && new.changedPropertyNames == ["budget"])
            #expect(new.committedValues(forKeys: ["budget"])["budget"] as? Decimal == 7)
            new.budget += 1
            #expect(known.budget == 9)
            new.setValue(10, forKey: "budget")
            #expect(known.budget == 10 && new.changedValues()["budget"] as? Decimal == 10)
            try new.set("budget", to: 11)
            #expect(try new.get("budget") as? Decimal == 11 && known.budget == 11)
            #expect(context.updatedObjects == [known])
        }
    }

    @Test func oneUpdateIsSaved() async throws {
        try await CompanyStore.with { store in
            try store.execute(
                "INSERT INTO department (_id, _version, name, budget) VALUES (7000, 1, 'Research', 7)")
            try await store.container.perform { context in
                context.mergePolicy = .mergeByPropertyObjectTrump
                let known = try context.fetch(FetchRequest<Department>())
                let new = Department(context: context)
                new.name = "Research"
                try context.save()
                new.budget = 8
                known[0].budget += 1
                store.container.statementLog.start()
                try context.save()
                let updates = store.container.statementLog.statements.filter { $0.sql.hasPrefix("UPDATE") }
                #expect(updates.count == 1, "\(updates)")
            }
            let stored = try PlainSQL(url: store.url).value(
                "SELECT name || budget || ' ' || _version FROM department")
            #expect(stored == "Research9 2")
        }
    }

    @Test func relationshipsTakeEither() async throws {
        try await Self.withTwins { new, known, context in
            let people = (0..<3).map { _ in Employee(context: context) }
            for (number, person) in people.enumerated() { person.firstName = "E\(number)" }
            people[0].department = new
            people[1].department = known
            new.employees.insert(people[2])
            new.head = people[0]
            #expect(new.employees.count == 3 && known.employees.count == 3)
            #expect(people[0].department === known && known.head === people[0] && new.head === people[0])
            #expect(new.employees.contains(people[1]) && people[0].heads == new)
            let members = new.employees
            known.employees.remove(people[1])
            #expect(members.count == 2 && new.objectIDs(forRelationshipNamed: "employees").count == 2)
            try context.save()
            #expect(people[1].department == nil && people[2].department === known)
            let found = try context.fetchMembers(\Department.employees, of: [new, known])
            #expect(found.count == 1 && found[new].count == 2 && found[known].count == 2)
            let matching = try PredicateTree(format: "department == %@", arguments: [new.objectID])
            #expect(try people.filtered(using: matching).count == 2)
        }
    }

    @Test func refreshDeletionAndDetachmentReachBoth() async throws {
        try await Self.withTwins { new, known, context in
            new.budget = 8
            context.refresh(new)
            #expect(known.isFault && new.isFault && new.budget == 7 && known.budget == 7)
            known.budget = 9
            try context.refresh(new, mergeChanges: true)
            #expect(new.budget == 9 && known.isUpdated)
            context.rollback()
            #expect(new.budget == 7)
            let preview = try context.previewDelete([new, known])
            #expect(preview.deleted["Department"]?.map(\.key) == [7000])
            context.delete(new)
            #expect(known.isDeleted && new.isDeleted && context.deletedObjects == [known])
            context.delete(known)
            try context.save()
            #expect(try context.count(Department.self) == 0 && new.isDeleted && new.budget == 7)
            #expect(throws: FetchError.self) { try new.set("budget", to: 1) }
            new.budget = 1
            #expect(throws: FetchError.self) { try context.save() }
            context.rollback()
        }
    }

    @Test func aChildThatMadeTheObjectHasOneToo() async throws {
        try await CompanyStore.with { store in
            try store.execute(
                "INSERT INTO department (_id, _version, name, budget) VALUES (7000, 1, 'Research', 7)")
            try await store.container.perform { context in
                context.mergePolicy = .mergeByPropertyObjectTrump
                let known = try #require(try context.fetch(FetchRequest<Department>()).first)
                let child = context.newChildContext()
                let sibling = try child.existingObject(with: known.objectID)
                let new = Department(context: child)
                new.name = "Research"
                try child.save()
                new.budget = 8
                try context.save()
                #expect(new == sibling && new.objectID == known.objectID && sibling.budget == 8)
                sibling.budget += 1
                #expect(new.budget == 9 && known.budget == 7)
                try child.save()
                #expect(known.budget == 9 && !child.hasChanges)
                try context.save()
            }
            let stored = try PlainSQL(url: store.url).value("SELECT budget::text FROM department")
            #expect(stored == "9")
        }
    }

    /// What is done through either reference, picked at random, has the effects that it has through the registered one.
    @Test func aWalkThroughEitherIsAWalkThroughOne() async throws {
        for seed in UInt64(1)...TestTier.choose(quick: 6, all: 60, nightly: 400) {
            let (oracle, mixed) = (Shared<[String]>([]), Shared<[String]>([]))
            for (trace, isMixed) in [(oracle, false), (mixed, true)] {
                try await Self.withTwins(undo: true) { new, known, context in
                    var walk = TwinWalk(seed: seed, new: isMixed ? new : known, known, context)
                    for _ in 0..<40 { try walk.step() }
                    trace.withLock { $0 = walk.trace }
                }
            }
            let difference = zip(oracle.value, mixed.value).enumerated().first { $1.0 != $1.1 }
            #expect(
                difference == nil && oracle.value.count == mixed.value.count,
                "seed \(seed): \(difference as Any)")
        }
    }
}

/// Random work with two references to one object.
private struct TwinWalk {
    private let twins: [Department]
    private let context: ManagedObjectContext
    private var random: SeededGenerator
    private var picks: SeededGenerator
    private var people: [Employee] = []
    private(set) var trace: [String] = []

    init(seed: UInt64, new: Department, _ known: Department, _ context: ManagedObjectContext) {
        twins = [new, known]
        self.context = context
        random = SeededGenerator(seed: seed)
        picks = SeededGenerator(seed: seed &+ 1_000_000)
    }

    mutating func step() throws {
        let pick = twins[Int.random(in: 0..<2, using: &picks)]
        let number = Int.random(in: 0..<100, using: &random)
        let person = people.isEmpty ? nil : people[number % people.count]
        let kind = Int.random(in: 0..<14, using: &random)
        switch kind {
        case 0: pick.budget = Decimal(number)
        case 1: pick.setValue(number, forKey: "budget")
        case 2: pick.name = "Research \(number % 3)"
        case 3, 4:
            let person = Employee(context: context)
            person.firstName = "P\(people.count)"
            people.append(person)
            if kind == 3 { person.department = pick } else { pick.employees.insert(person) }
        case 5: if let person, exists(person) { pick.employees.remove(person) }
        case 6: pick.head = person.flatMap { exists($0) ? $0 : nil }
        case 7: if let person, exists(person) { person.department = pick }
        case 8: try context.save()
        case 9: context.refresh(pick)
        case 10: if number < 30 { context.rollback() }
        case 11: context.undo()
        case 12: context.redo()
        default:
            context.processPendingChanges()
            let child = context.newChildContext()
            let copy = try child.existingObject(with: pick.objectID)
            copy.budget += 1
            try child.save()
        }
        context.processPendingChanges()
        let texts = twins.map(describe)
        #expect(texts[0] == texts[1])
        trace.append(
            "\(kind) \(number): \(texts[0]) \(context.updatedObjects.count) \(context.insertedObjects.count)")
    }

    private func exists(_ person: Employee) -> Bool {
        person.managedObjectContext != nil && !person.isDeleted
    }

    private func describe(_ department: Department) -> String {
        let members = department.employees.map(\.firstName).sorted()
        let changed = department.changedPropertyNames
        return
            "\(department.name) \(department.budget) \(members) \(department.head?.firstName ?? "-") \(changed) "
            + "\(department.isUpdated) \(department.hasPersistentChangedValues)"
    }
}
