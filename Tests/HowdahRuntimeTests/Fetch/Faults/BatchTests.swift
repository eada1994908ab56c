import Foundation
import Howdah
import HowdahTesting
import Testing

@Suite struct BatchTests {
    @Test func batchesAreTheWholeInOrder() async throws {
        try await CompanyStore.with { store in
            _ = try await store.hire(25)
            for isolation in [nil, Isolation.repeatableRead] {
                try await store.container.perform(isolation: isolation) { context in
                    var request = FetchRequest<Employee>()
                    request.predicate = .format("visits == %d", 0)
                    request.sortDescriptors = [.descending(\.firstName)]
                    let whole = try context.fetch(request).map(\.objectID)
                    var (found, sizes): ([ObjectID<Employee>], [Int]) = ([], [])
                    try context.forEachBatch(of: request, size: 10) { employees in
                        sizes.append(employees.count)
                        found += employees.map(\.objectID)
                    }
                    #expect(found == whole && sizes == [10, 10, 5])
                    try context.forEachBatch(of: request, size: 25) { #expect($0.count == 25) }
                    request.predicate = .format("visits == 9")
                    try context.forEachBatch(of: request) { _ in Issue.record("there are none") }
                }
            }
        }
    }

    @Test func aBatchHasOneObjectAtLeast() async throws {
        try await CompanyStore.with { store in
            let container = store.container
            for size in [0, -1] {
                let error = await #expect(throws: FetchError.self) {
                    try await container.perform { context in
                        try context.forEachBatch(of: FetchRequest<Employee>(), size: size) { _ in }
                    }
                }
                #expect(
                    error?.code == .invalidRequest && error?.message.contains("Set it to 1 or more.") == true)
                let streamed = await #expect(throws: FetchError.self) {
                    for try await _ in container.batches(of: FetchRequest<Employee>(), size: size, \.visits) {
                    }
                }
                #expect(
                    streamed?.code == .invalidRequest
                        && streamed?.message.contains("Set it to 1 or more.") == true)
            }
        }
    }

    /// Whatever ends the loop, the connection is as good as new.
    @Test func aLoopMayBeLeft() async throws {
        struct Enough: Error {}
        try await CompanyStore.with(connections: 1) { store in
            _ = try await store.hire(10)
            for isolation in [nil, Isolation.readCommitted] {
                try await store.container.perform(isolation: isolation) { context in
                    #expect(throws: Enough.self) {
                        try context.forEachBatch(of: FetchRequest<Employee>(), size: 2) { _ in throw Enough()
                        }
                    }
                    let count = try context.count(Employee.self)
                    #expect(count == 10)
                    let open = try context.fetchRows(
                        Int.self, sql: "SELECT count(*) FROM pg_cursors WHERE name LIKE 'howdah%'")
                    #expect(open == [0])
                }
            }
            try await store.container.perform { context in
                // Saves between batches, and batches within batches.
                var inner = 0
                try context.forEachBatch(of: FetchRequest<Employee>(), size: 3) { employees in
                    for employee in employees { employee.visits += 1 }
                    try context.save()
                    try context.forEachBatch(of: FetchRequest<Employee>(), size: 4) { inner += $0.count }
                }
                #expect(inner == 40)
                #expect(try context.count(Employee.self, matching: .format("visits == 1")) == 10)
            }
            let task = Task {
                try await store.container.perform { context in
                    try context.forEachBatch(of: FetchRequest<Employee>(), size: 1) { _ in
                        withUnsafeCurrentTask { $0?.cancel() }
                    }
                }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await store.container.perform { try $0.count(Employee.self) } == 10)
        }
    }

    @Test func sequencesOfBatchesHoldNothing() async throws {
        try await CompanyStore.with(connections: 1) { store in
            _ = try await store.hire(25)
            var names: [[String]] = []
            for try await batch in store.container.batches(
                of: FetchRequest<Employee>(), size: 10, { $0.firstName })
            {
                names.append(batch)
                // The only connection is free.
                #expect(try await store.container.perform { try $0.count(Employee.self) } == 25)
                if names.count == 2 { break }
            }
            #expect(names.map(\.count) == [10, 10])
            var count = 0
            for try await batch in store.container.batches(
                of: FetchRequest<Employee>(), size: 5, { $0.firstName })
            {
                count += batch.count
            }
            #expect(count == 25)
        }
    }

    @Test func sequencesOfBatchesEndAtTheLimit() async throws {
        try await CompanyStore.with { store in
            _ = try await store.hire(25)
            for (limit, sizes) in [
                (0, [10, 10, 5]), (7, [7]), (10, [10]), (12, [10, 2]), (20, [10, 10]), (25, [10, 10, 5]),
                (99, [10, 10, 5]),
            ] {
                var request = FetchRequest<Employee>()
                request.fetchLimit = limit
                request.sortDescriptors = [.ascending(\.firstName)]
                let whole = try await store.container.perform { [request] in
                    try $0.fetch(request).map(\.firstName)
                }
                var found: [[String]] = []
                store.container.statementLog.start()
                for try await batch in store.container.batches(of: request, size: 10, { $0.firstName }) {
                    found.append(batch)
                }
                #expect(found.map(\.count) == sizes && found.flatMap(\.self) == whole)
                #expect(store.container.statementLog.count == sizes.count)
            }
            for (limit, offset) in [(-1, 0), (7, 1)] {
                var request = FetchRequest<Employee>()
                (request.fetchLimit, request.fetchOffset) = (limit, offset)
                let error = await #expect(throws: FetchError.self) {
                    for try await _ in store.container.batches(of: request, { $0.firstName }) {}
                }
                #expect(error?.code == .invalidRequest)
            }
        }
    }

    @Test func touchingAnObjectLoadsItsBatch() async throws {
        try await CompanyStore.with { store in
            _ = try await store.hire(25)
            try await store.container.perform { context in
                var request = FetchRequest<Employee>()
                request.fetchBatchSize = 10
                request.sortDescriptors = [.ascending(\.visits)]
                store.container.statementLog.start()
                let employees = try context.fetch(request)
                #expect(employees.count == 25 && employees.allSatisfy(\.isFault))
                #expect(employees[12].firstName == "E12")
                #expect(store.container.statementLog.statements.count == 2)
                #expect(employees.filter { !$0.isFault }.count == 10)
                #expect(employees.map(\.firstName) == (0..<25).map { "E\($0)" })
                #expect(store.container.statementLog.statements.count == 4)
            }
        }
    }
}
