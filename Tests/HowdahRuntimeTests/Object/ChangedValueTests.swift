import Foundation
import Howdah
import HowdahTesting
import Testing

@Suite struct ChangedValueTests {
    @Test func changedAndCommittedValuesAreTold() async throws {
        try await CompanyStore.with { store in
            try await store.container.perform { context in
                let (old, new) = (Department(context: context), Department(context: context))
                (old.name, new.name) = ("Old", "New")
                let (ada, bob) = (Employee(context: context), Employee(context: context))
                (ada.firstName, bob.firstName) = ("Ada", "Bob")
                (ada.department, bob.department) = (old, old)
                old.head = ada
                #expect(ada.committedValues().isEmpty)
                #expect(ada.hasPersistentChangedValues)
                try context.save()
                #expect(ada.changedValues().isEmpty && !ada.hasPersistentChangedValues)

                ada.firstName = "Augusta"
                ada.lastName = nil
                ada.department = new
                old.head = bob
                let changed = ada.changedValues()
                #expect(Set(changed.keys) == ["firstName", "department"])
                #expect(changed["firstName"] as? String == "Augusta")
                #expect(changed["department"] as? Department === new)
                let committed = ada.committedValues()
                #expect(committed["firstName"] as? String == "Ada")
                #expect(committed["department"] as? Department === old)
                #expect(committed["heads"] as? Department === old)
                #expect(bob.committedValues(forKeys: ["heads"])["heads"] as? Department == nil)
                #expect(Set(names(old.committedValues(forKeys: ["employees"]))) == ["Augusta", "Bob"])
                #expect(names(new.committedValues(forKeys: ["employees"])).isEmpty)
                try context.save()
                #expect(names(new.committedValues(forKeys: ["employees"])) == ["Augusta"])
            }
        }
    }

    /// Of a new object, everything that was set, by its class and through inverses too; defaults of the model are left out.
    @Test func changedValuesOfANewObjectAreThoseThatWereSet() async throws {
        try await CompanyStore.with { store in
            try await store.container.perform { context in
                let (department, ada) = (Department(context: context), Employee(context: context))
                #expect(ada.changedValues().isEmpty && department.changedValues().isEmpty)
                ada.firstName = "Ada"
                ada.department = department
                #expect(Set(ada.changedValues().keys) == ["firstName", "department"])
                #expect(Set(department.changedValues().keys) == ["employees"])
                #expect(names(department.changedValues()) == ["Ada"])
                department.employees.remove(ada)
                #expect(department.changedValues().isEmpty)
                #expect(Set(ada.changedValues().keys).isSuperset(of: ["firstName"]))
                ada.lastName = nil
                #expect(ada.changedPropertyNames.contains("firstName"))
                context.rollback()
            }
        }
    }

    private func names(_ values: [String: Any?]) -> [String] {
        (values["employees"] as? [Employee] ?? []).map(\.firstName)
    }

    @Test func committedMembersOfLinksAreTold() async throws {
        try await CompanyStore.with { store in
            try await store.container.perform { context in
                let project = Project(context: context)
                project.title = "P"
                let people = ["a", "b", "c"].map { name in
                    let person = Employee(context: context)
                    person.firstName = name
                    return person
                }
                project.members.insert(people[0])
                project.members.insert(people[1])
                try context.save()
                project.members.remove(people[0])
                project.members.insert(people[2])
                let members = project.committedValues(forKeys: ["members"])["members"] as? [Employee]
                #expect(Set(try #require(members).map(\.firstName)) == ["a", "b"])
                #expect(people[2].committedValues(forKeys: ["projects"])["projects"] as? [Project] == [])
            }
        }
    }

    @Test func settingAValueToItselfIsNoPersistentChange() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let person = try context.existingObject(with: id)
                person.firstName = "E0"
                #expect(person.isUpdated && !person.hasPersistentChangedValues)
                person.firstName = "E1"
                #expect(person.hasPersistentChangedValues)
            }
        }
    }

    @Test func faultsOfRelationshipsAreTold() async throws {
        try await CompanyStore.with { store in
            let id = try await store.container.perform { context in
                let department = Department(context: context)
                department.name = "D"
                let person = Employee(context: context)
                person.department = department
                person.firstName = "x"
                try context.save()
                return person.objectID
            }
            try await store.container.perform { context in
                let person = try context.existingObject(with: id)
                #expect(person.hasFault(forRelationshipNamed: "department"))
                #expect(person.hasFault(forRelationshipNamed: "projects"))
                store.container.statementLog.start()
                let ids = person.objectIDs(forRelationshipNamed: "department")
                #expect(store.container.statementLog.count == 0)
                #expect(try #require(ids.first).entityName == "Department")
                #expect(person.department?.name == "D")
                #expect(!person.hasFault(forRelationshipNamed: "department"))
                #expect(person.objectIDs(forRelationshipNamed: "projects").isEmpty)
                #expect(!person.hasFault(forRelationshipNamed: "projects"))
            }
        }
    }
}
