import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// A fault that cannot be filled reads as zero, and its error takes the place of what the body returns.
@Suite(.needsSession, .timeLimit(.minutes(60))) struct FailedFaultTests {
    @Test func losingTheConnectionInALoopOverFaults() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(20)
            let names = Shared<[String]>([])
            let error = await #expect(throws: FetchError.self) {
                try await store.container.perform { context in
                    for (index, id) in ids.enumerated() {
                        if index == 10 { try store.terminateSessions() }
                        let employee = context.object(with: id)
                        names.withLock { $0.append(employee.firstName) }
                    }
                    return "the body's value"
                }
            }
            #expect(error?.code == .database)
            #expect(error?.databaseError?.code == .connectionLost)
            #expect(names.value == (0..<20).map { $0 < 10 ? "E\($0)" : "" })
            #expect(try await store.container.perform { try $0.count(Employee.self) } == 20)
        }
    }

    @Test func aVanishedRowIsToldApart() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(2)
            try store.execute("DELETE FROM employee WHERE first_name = 'E0'")
            let error = await #expect(throws: FetchError.self) {
                try await store.container.perform { context in
                    let gone = context.object(with: ids[0])
                    #expect(gone.firstName == "")
                    #expect(gone.salary == 0)
                    #expect(gone.hiredAt == nil)
                    #expect(gone.department == nil)
                    #expect(Array(gone.projects).isEmpty)
                    return gone.firstName
                }
            }
            #expect(error?.code == .objectNotFound)
            #expect(error?.objectURI == ids[0].uriRepresentation.absoluteString)
            #expect(error?.databaseError == nil)
        }
    }

    @Test func nothingIsReadOrSavedAfterAFailure() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(2)
            try store.execute("DELETE FROM employee WHERE first_name = 'E0'")
            let handle = store.container.newBackgroundContext()
            let error = await #expect(throws: FetchError.self) {
                try await handle.perform { context in
                    let name = context.object(with: ids[0]).firstName
                    try context.existingObject(with: ids[1]).lastName = name
                }
            }
            #expect(error?.code == .objectNotFound)
            let swallowed = await #expect(throws: FetchError.self) {
                try await handle.perform { context in
                    let survivor = try context.existingObject(with: ids[1])
                    _ = context.object(with: ids[0]).firstName
                    survivor.lastName = "never stored"
                    #expect(throws: FetchError.self) { try context.fetch(Employee.self) }
                    #expect(throws: FetchError.self) { try context.count(Employee.self) }
                    #expect(throws: FetchError.self) { try context.save() }
                }
            }
            #expect(swallowed?.code == .objectNotFound)
            // The failure belonged to that run; the pending change is still there.
            try await handle.perform { context in
                #expect(context.failure == nil)
                try #expect(context.existingObject(with: ids[1]).lastName == "never stored")
            }
        }
    }

    @Test func membersAndCountsFailTheSameWay() async throws {
        try await CompanyStore.with { store in
            let id = try await store.container.perform { context in
                let department = Department(context: context)
                department.name = "Research"
                for number in 0..<3 {
                    let employee = Employee(context: context)
                    employee.firstName = "E\(number)"
                    employee.department = department
                }
                try context.save()
                return department.objectID
            }
            let reads: [@Sendable (Department) -> Int] = [
                { $0.employees.count }, { Array($0.employees).count }, { $0.head == nil ? 0 : 1 },
                { $0.employees.isEmpty ? 0 : 1 },
            ]
            for read in reads {
                let error = await #expect(throws: FetchError.self) {
                    try await store.container.perform { context in
                        let department = try context.existingObject(with: id)
                        try store.terminateSessions()
                        let first = read(department)
                        #expect(first == 0)
                        _ = department.employees.count
                        return first
                    }
                }
                #expect(error?.databaseError?.code == .connectionLost)
            }
        }
    }

    @Test func aFailureIsNotHiddenByTheBodysOwnError() async throws {
        struct Refusal: Error {}
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try store.execute("DELETE FROM employee")
            await #expect(throws: FetchError.self) {
                try await store.container.perform { context in
                    if context.object(with: id).firstName.isEmpty { throw Refusal() }
                }
            }
        }
    }
}
