import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Forwarding objects where they meet sets, predicates, child contexts, undo, transient attributes and policies.
@Suite(.timeLimit(.minutes(60))) struct ForwardingEdgeTests {
    private static let insertion =
        "INSERT INTO department (_id, _version, name, budget) VALUES (7000, 1, 'A', 7), (7001, 1, 'B', 7), (7002, 1, 'C', 7)"

    /// A save must not change the hash of what is in a set, nor make two of its elements equal: both stop the process.
    @Test func setsStayAsTheyWere() async throws {
        try await CompanyStore.with { store in
            try store.execute(Self.insertion)
            try await store.container.perform { context in
                context.mergePolicy = .mergeByPropertyObjectTrump
                let known = try context.fetch(FetchRequest<Department>())
                var used: Set<Department> = []
                var numbers: [Department: Int] = [:]
                for name in ["A", "B", "C", "new"] {
                    let department = Department(context: context)
                    department.name = name
                    used.insert(department)
                    numbers[department] = numbers.count
                }
                let before = used
                try context.save()
                #expect(before.allSatisfy { used.contains($0) && numbers[$0] != nil })
                for department in known { used.insert(department) }
                for number in 0..<100 {
                    let department = Department(context: context)
                    department.name = "\(number)"
                    used.insert(department)
                    numbers[department] = number
                }
                #expect(used.count == 107 && numbers.count == 104)
            }
        }
    }

    @Test func predicatesInMemoryFollowToManys() async throws {
        try await ForwardingTests.withTwins { new, known, context in
            let person = Employee(context: context)
            person.firstName = "Ada"
            person.department = new
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                for format in [
                    "ANY employees.firstName == 'Ada'", "employees.@count == 1",
                    "SUBQUERY(employees, $e, $e.firstName == 'Ada').@count == 1",
                ] {
                    let predicate = try PredicateTree(format: format)
                    #expect(try predicate.evaluate(with: new) && predicate.evaluate(with: known), "\(format)")
                    #expect(try [new].filtered(using: predicate).count == 1)
                }
            }
        }
    }

    @Test(arguments: [false, true]) func aChildSeesTheRow(isRegistered: Bool) async throws {
        try await CompanyStore.with { store in
            try store.execute(Self.insertion)
            try await store.container.perform { context in
                context.mergePolicy = .mergeByPropertyObjectTrump
                let held = isRegistered ? try context.fetch(FetchRequest<Department>()) : []
                let child = context.newChildContext()
                child.mergePolicy = .mergeByPropertyObjectTrump
                let new = Department(context: child)
                new.name = "A"
                try child.save()
                try context.save()
                #expect(new.objectID.key == 7000 && new.budget == 7, "\(new.budget)")
                new.budget += 1
                try child.save()
                try context.save()
                withExtendedLifetime(held) {}
            }
            #expect(
                try PlainSQL(url: store.url).value("SELECT budget::text FROM department WHERE _id = 7000")
                    == "8")
        }
    }

    @Test func aChildThatDeletedItsReferenceDeletesTheRow() async throws {
        try await CompanyStore.with { store in
            try store.execute(Self.insertion)
            try await store.container.perform { context in
                context.mergePolicy = .mergeByPropertyObjectTrump
                let known = try #require(
                    try context.fetch(FetchRequest<Department>()).first { $0.name == "A" })
                let new = Department(context: context)
                new.name = "A"
                let child = context.newChildContext()
                let childsKnown = try child.existingObject(with: known.objectID)
                let childsNew = try child.existingObject(with: new.objectID)
                child.delete(childsNew)
                try context.save()
                #expect(childsNew == childsKnown && childsKnown.isDeleted && childsNew.isDeleted)
                try child.save()
                #expect(known.isDeleted && childsNew.budget == childsKnown.budget)
                try context.save()
            }
            #expect(try PlainSQL(url: store.url).value("SELECT count(*)::text FROM department") == "2")
        }
    }

    @Test func aChildsUnchangedReferrersFollow() async throws {
        try await CompanyStore.with { store in
            try store.execute(Self.insertion)
            try await store.container.perform { context in
                context.mergePolicy = .mergeByPropertyObjectTrump
                let known = try #require(
                    try context.fetch(FetchRequest<Department>()).first { $0.name == "A" })
                let new = Department(context: context)
                new.name = "A"
                let person = Employee(context: context)
                person.firstName = "Ada"
                person.department = new
                let child = context.newChildContext()
                let childsKnown = try child.existingObject(with: known.objectID)
                let childsPerson = try child.existingObject(with: person.objectID)
                #expect(childsPerson.department?.name == "A" && childsKnown.employees.count == 0)
                try context.save()
                #expect(childsPerson.department === childsKnown)
                #expect(childsKnown.employees.objects == [childsPerson] && !child.hasChanges)
            }
        }
    }

    @Test func anUndoDoesNotDeleteTheRow() async throws {
        try await CompanyStore.with { store in
            try store.execute(Self.insertion)
            try await store.container.perform { context in
                context.mergePolicy = .mergeByPropertyObjectTrump
                context.undoManager = UndoStack()
                let new = Department(context: context)
                new.name = "A"
                context.processPendingChanges()
                try context.save()
                context.undo()
                #expect(!new.isDeleted && new.name == "A")
                try context.save()
            }
            #expect(try PlainSQL(url: store.url).value("SELECT count(*)::text FROM department") == "3")
        }
    }

    @Test func aTransientAttributeIsTakenAlong() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Tag",
                properties: [
                    .attribute("name", .string, optional: false),
                    .attribute("scratch", .string, transient: true),
                ], uniquenessConstraints: [["name"]])
        ])
        try await withStore(model) { container, sql in
            try sql.rows("INSERT INTO tag (_id, _version, name) VALUES (7000, 1, 'a')")
            try await container.perform { context in
                context.mergePolicy = .mergeByPropertyObjectTrump
                let known = try context.fetch(FetchRequest<ManagedObject>(entityName: "Tag"))[0]
                let new = context.insert("Tag")
                new["name"] = "a"
                new["scratch"] = "mine"
                try context.save()
                #expect(new["scratch"] as? String == "mine" && known["scratch"] as? String == "mine")
            }
        }
    }

    /// The column lost its key, so that the row that is in the way has none.
    @Test func aRowWithoutAKeyIsAnError() async throws {
        try await CompanyStore.with { store in
            try store.execute(Self.insertion)
            try store.execute(
                """
                ALTER TABLE employee DROP CONSTRAINT IF EXISTS employee_department_fkey;
                """)
            let keys = try PlainSQL(url: store.url).rows(
                """
                SELECT c.conrelid::regclass::text, c.conname::text FROM pg_constraint c
                WHERE c.confrelid = 'department'::regclass OR c.conrelid = 'department'::regclass AND c.contype = 'p'
                ORDER BY c.contype
                """)
            for key in keys {
                try store.execute("ALTER TABLE \(key[0] ?? "") DROP CONSTRAINT \"\(key[1] ?? "")\"")
            }
            try store.execute("ALTER TABLE department ALTER _id DROP NOT NULL")
            try store.execute("UPDATE department SET _id = NULL WHERE name = 'A'")
            let error = await #expect(throws: (any Error).self) {
                try await store.container.perform { context in
                    context.mergePolicy = .mergeByPropertyObjectTrump
                    Department(context: context).name = "A"
                    try context.save()
                }
            }
            #expect("\(error.map { "\($0)" } ?? "")".contains("NULL in _id"), "\(String(describing: error))")
        }
    }
}
