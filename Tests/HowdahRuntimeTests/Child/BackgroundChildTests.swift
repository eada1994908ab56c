import Foundation
import Howdah
import HowdahTesting
import Testing

@testable import HowdahRuntime

/// Handles on children: turns, ends and refusals.
@Suite struct BackgroundChildTests {
    @Test func draftsAreKeptOrDropped() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            let editing = store.container.newBackgroundContext()
            let draft = editing.newChildContext()
            try await draft.perform { try $0.existingObject(with: id).firstName = "draft" }
            try await editing.perform { context in
                try #expect(context.existingObject(with: id).firstName == "E0")
            }
            try await draft.perform { context in
                #expect(context.hasChanges)
                try context.save()
            }
            let dropped = editing.newChildContext()
            try await dropped.perform { try $0.existingObject(with: id).firstName = "dropped" }
            try await editing.perform { context in
                #expect(try context.existingObject(with: id).firstName == "draft")
                try context.save()
            }
            try #expect(store.storedNames() == ["draft"])
            try await dropped.perform { #expect($0.hasChanges) }
        }
    }

    /// On one connection and one thread: nobody may wait for what another has.
    @Test(.timeLimit(.minutes(60))) func turnsNeverWaitForEachOther() async throws {
        try await CompanyStore.with(connections: 1) { store in
            let id = try await store.hire(1)[0]
            let parent = store.container.newBackgroundContext()
            let children = (0..<4).map { _ in parent.newChildContext() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (place, child) in children.enumerated() {
                    group.addTask {
                        for round in 0..<10 {
                            try await child.perform { context in
                                let person = try context.existingObject(with: id)
                                context.refresh(person)
                                person.visits += 1
                                try context.save()
                                // Down, up and down again on one thread.
                                try parent.performAndWait { context in
                                    #expect(try context.existingObject(with: id).visits > 0)
                                    try children[(place + 1) % 4].performAndWait { other in
                                        try #expect(other.count(Employee.self) == 1)
                                    }
                                    if round % 3 == 0 { try context.save() }
                                }
                            }
                        }
                    }
                    group.addTask {
                        for _ in 0..<10 {
                            try await parent.perform { context in
                                _ = try context.existingObject(with: id).visits
                                try child.performAndWait { _ = try $0.fetch(Employee.self) }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await parent.perform { context in
                try context.save()
                #expect(try context.existingObject(with: id).visits == 40)
            }
        }
    }

    @Test func aChildOutlivesItsParentsHandle() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            let child = store.container.newBackgroundContext().newChildContext().newChildContext()
            try await child.perform { context in
                let person = try context.existingObject(with: id)
                person.firstName = "low"
                try context.save()
                #expect(context.parent?.hasChanges == true)
                try context.parent?.save()
                try context.parent?.parent?.save()
            }
            try #expect(store.storedNames() == ["low"])
        }
    }

    @MainActor @Test func aViewContextHasChildrenOfItsOwnActor() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            let view = store.container.viewContext
            let sheet = view.newChildContext()
            let person = try sheet.existingObject(with: id)
            person.firstName = "sheet"
            #expect(try view.existingObject(with: id).firstName == "E0")
            try sheet.save()
            #expect(view.hasChanges)
            try view.save()
            try #expect(store.storedNames() == ["sheet"])
            try store.execute("DELETE FROM employee")
            sheet.refresh(person)
            view.reset()
            _ = person.firstName
            #expect(sheet.failure != nil && view.failure == nil)
            sheet.clearFailure()
        }
    }

    @Test func aParentsTransactionHoldsWhatItsChildPushed() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            let parent = store.container.newBackgroundContext()
            let child = parent.newChildContext()
            struct Stop: Error {}
            await #expect(throws: Stop.self) {
                try await parent.perform(isolation: .serializable) { context in
                    try child.performAndWait { context in
                        try context.existingObject(with: id).firstName = "pushed"
                        Employee(context: context).firstName = "new"
                        try context.save()
                    }
                    try context.save()
                    throw Stop()
                }
            }
            try #expect(store.storedNames() == ["E0"])
            try await child.perform { context in
                let people = try context.fetch(Employee.self)
                #expect(Set(people.map(\.firstName)) == ["pushed", "new"])
                for person in people { person.lastName = "L" }
                try context.save()
            }
            try await parent.perform { try $0.save() }
            try #expect(store.storedNames() == ["new", "pushed"])
        }
    }

    @Test func whatNeedsTheDatabaseIsRefused() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let child = context.newChildContext()
                let person = try child.existingObject(with: id)
                func refusal(_ body: () throws -> Void) {
                    let error = #expect(throws: FetchError.self) { try body() }
                    #expect(error?.code == .invalidRequest)
                    #expect(error?.message.contains("child context") == true)
                }
                refusal { _ = try child.execute(BatchDeleteRequest(Employee.self)) }
                refusal { _ = try child.previewDelete(person) }
                refusal { try child.importGraph(Data("[]".utf8), as: Employee.self) }
                refusal {
                    var request = FetchRequest<Employee>()
                    request.rowLock = .update
                    _ = try child.fetch(request)
                }
                #expect(!child.hasChanges && !context.hasChanges)
                #expect(try context.count(Employee.self) == 1)
            }
        }
    }

    @Test func aTransactionOfAChildIsAMistake() async throws {
        await #expect(processExitsWith: .failure) {
            try await CompanyStore.with { store in
                let child = store.container.newBackgroundContext().newChildContext()
                try await child.perform(isolation: .serializable) { _ in }
            }
        }
    }
}
