import Foundation
import Howdah
import HowdahTesting
import PQClient
import Testing

/// Objects that were made to lead to others which somebody else deleted meanwhile.
@Suite struct LostDestinationTests {
    private static func isTheirs(_ type: MergePolicy.MergeType) -> Bool {
        type == .mergeByPropertyStoreTrump || type == .rollback
    }

    nonisolated(nonsending)
        private static func departments(_ store: CompanyStore) async throws -> [ObjectID<Department>]
    {
        try await store.container.perform { context in
            let departments = ["old", "gone"].map { name in
                let department = Department(context: context)
                department.name = name
                return department
            }
            try context.save()
            return departments.map(\.objectID)
        }
    }

    /// In a statement of its own, among others, and in a transaction.
    @Test(arguments: [1, 2, 20], [false, true])
    func theErrorNamesObjectRelationshipAndDestination(count: Int, isNested: Bool) async throws {
        try await CompanyStore.with { store in
            let departments = try await Self.departments(store)
            let ids = try await store.hire(count)
            let body = { (context: ManagedObjectContext) in
                let people = try ids.map { try context.existingObject(with: $0) }
                for (index, person) in people.enumerated() {
                    person.department = context.object(with: departments[index == 0 ? 1 : 0])
                    if index > 0 { person.visits = index }
                }
                try store.execute("DELETE FROM department WHERE name = 'gone'")
                let error = try #require(#expect(throws: SaveError.self) { try context.save() })
                #expect(error.code == .referentialIntegrity && error.issues.count == 1)
                #expect(error.databaseError?.sqlState == SQLState.foreignKeyViolation)
                let issue = try #require(error.issues.first)
                #expect(
                    issue.objectID?.uriRepresentation == ids[0].uriRepresentation
                        && issue.entityName == "Employee")
                #expect(issue.propertyName == "department")
                let place = departments[1].uriRepresentation.lastPathComponent
                #expect(
                    issue.message
                        == "refers to Department \(place), which is no longer in the store. Set another "
                        + "object or nil, and save again.")
                // The context is as before, and can be mended.
                #expect(people[0].department?.objectID == departments[1] && context.hasChanges)
                people[0].department = nil
                try context.save()
                #expect(!context.hasChanges)
            }
            if isNested {
                try await store.container.perform(isolation: .readCommitted) { try body($0) }
            } else {
                try await store.container.perform { try body($0) }
            }
        }
    }

    /// A stored object goes back to what the store has, or to nil, by policy.
    @Test(arguments: MergePolicyTests.types) func aPolicyDecides(type: MergePolicy.MergeType) async throws {
        try await CompanyStore.with { store in
            let departments = try await Self.departments(store)
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let person = try context.existingObject(with: id)
                person.department = context.object(with: departments[0])
                try context.save()
                context.mergePolicy = MergePolicy(merge: type)
                person.department = context.object(with: departments[1])
                person.lastName = "here"
                let new = Employee(context: context)
                (new.firstName, new.department) = ("new", context.object(with: departments[1]))
                try store.execute("DELETE FROM department WHERE name = 'gone'")
                try context.save()
                for _ in 0..<2 {
                    #expect(person.department?.name == (Self.isTheirs(type) ? "old" : nil))
                    #expect(person.lastName == (type == .rollback ? nil : "here"))
                    #expect(new.department == nil)
                    try context.refreshAllObjects()
                }
                #expect(try store.storedNames() == ["E0", "new"])
            }
        }
    }

    /// A required reference has nothing to fall back on but what the store has.
    @Test(arguments: MergePolicyTests.types) func aRequiredOne(type: MergePolicy.MergeType) async throws {
        try await CompanyStore.with { store in
            let departments = try await Self.departments(store)
            try await store.container.perform { context in
                let room = Room(context: context)
                room.number = 1
                room.department = context.object(with: departments[0])
                try context.save()
                context.mergePolicy = MergePolicy(merge: type)
                room.department = context.object(with: departments[1])
                room.number = 2
                try store.execute("DELETE FROM department WHERE name = 'gone'")
                if Self.isTheirs(type) {
                    try context.save()
                    #expect(room.department?.name == "old" && room.number == (type == .rollback ? 1 : 2))
                } else {
                    let error = #expect(throws: SaveError.self) { try context.save() }
                    #expect(error?.code == .referentialIntegrity)
                    #expect(error?.issues.map(\.propertyName) == ["department"])
                    #expect(
                        error?.issues.first?.message.contains("Set another object, and save again.") == true)
                    #expect(room.department?.objectID == departments[1] && context.hasChanges)
                }
                context.rollback()
                let new = Room(context: context)
                new.number = 3
                new.department = context.object(with: departments[1])
                let error = #expect(throws: SaveError.self) { try context.save() }
                #expect(
                    error?.code == .referentialIntegrity
                        && error?.issues.first?.objectID?.uriRepresentation == new.objectID.uriRepresentation)
            }
        }
    }

    @Test(arguments: MergePolicyTests.types + [.error])
    func aLinkToWhatIsGone(type: MergePolicy.MergeType) async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let projects = ["P", "Q"].map { title in
                    let project = Project(context: context)
                    project.title = title
                    return project
                }
                try context.save()
                context.mergePolicy = MergePolicy(merge: type)
                let person = try context.existingObject(with: id)
                for project in projects { project.members.insert(person) }
                try store.execute("DELETE FROM project WHERE title = 'P'")
                if type == .error {
                    let error = #expect(throws: SaveError.self) { try context.save() }
                    #expect(error?.code == .referentialIntegrity && error?.issues.count == 1)
                    #expect(
                        error?.issues.first?.objectID?.uriRepresentation == id.uriRepresentation
                            && error?.issues.first?.propertyName == "projects")
                    projects[0].members.remove(person)
                }
                try context.save()
                #expect(person.projects.objects == [projects[1]] && !context.hasChanges)
                context.refresh(person)
                #expect(person.projects.objects == [projects[1]])
            }
        }
    }

    /// The other direction: rows of somebody else lead to what is deleted here.
    @Test(arguments: [1, 3]) func whatOthersStillNeedIsNamed(count: Int) async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(count)
            let key = ids[count - 1].uriRepresentation.lastPathComponent.drop { !$0.isNumber }
            try store.execute("CREATE TABLE badge (owner bigint REFERENCES employee)")
            try store.execute("INSERT INTO badge VALUES (\(key))")
            try await store.container.perform { context in
                for id in ids { context.delete(try context.existingObject(with: id)) }
                let error = #expect(throws: SaveError.self) { try context.save() }
                #expect(error?.code == .referentialIntegrity && error?.issues.count == 1)
                let issue = error?.issues.first
                #expect(issue?.objectID?.uriRepresentation == ids[count - 1].uriRepresentation)
                #expect(
                    issue?.message.contains("rows of the table badge of another program still refer to it")
                        == true)
                try store.execute("DELETE FROM badge")
                try context.save()
                #expect(try context.count(Employee.self) == 0)
            }
        }
    }

    /// A subclass sees which relationship it is, and leads it elsewhere.
    @Test func aSubclassGivesAnotherDestination() async throws {
        final class Fallback: MergePolicy {
            var other: Department?
            var seen: [[String]] = []
            override func resolve(optimisticLockingConflicts conflicts: [MergeConflict]) throws {
                for conflict in conflicts {
                    seen.append(conflict.danglingRelationships)
                    (conflict.object as? Employee)?.department = other
                }
            }
        }
        try await CompanyStore.with { store in
            let departments = try await Self.departments(store)
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let policy = Fallback(merge: .error)
                policy.other = context.object(with: departments[0])
                context.mergePolicy = policy
                let person = try context.existingObject(with: id)
                person.department = context.object(with: departments[1])
                try store.execute("DELETE FROM department WHERE name = 'gone'")
                try context.save()
                #expect(policy.seen == [["department"]] && person.department === policy.other)
            }
        }
    }
}
