import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Tables from which rows come by COPY; what comes must be what a query brings.
@Suite struct LargeTableTests {
    private func withLargeStore(
        _ body: (PersistentContainer, _ url: String) async throws -> Void
    ) async throws {
        try await withTestDatabase(for: Company.model()) { database in
            let first = try await PersistentContainer.open(database.url, model: Company.model())
            try await Company.fill(first, departments: 30, employees: 2_500)
            await first.close()
            let connection = try Connection(ConnectionConfiguration(database.url))
            try connection.executeScript("ANALYZE")
            connection.close()
            let container = try await PersistentContainer.open(database.url, model: Company.model())
            try await body(container, database.url)
            await container.close()
        }
    }

    @Test func aWholeTableAndMembersComeByCopyAndAreTheSame() async throws {
        try await withLargeStore { container, _ in
            container.statementLog.start()
            let copied = try await container.perform { context in
                try context.fetch(Employee.self, sortedBy: .key("firstName", ascending: false)).map {
                    "\($0.firstName) \($0.department?.name ?? "-") \($0.salary)"
                }
            }
            let queried = try await container.perform { context in
                try context.fetch(
                    Employee.self, matching: .format("firstName != nil"),
                    sortedBy: .key("firstName", ascending: false)
                )
                .map { "\($0.firstName) \($0.department?.name ?? "-") \($0.salary)" }
            }
            #expect(copied == queried && copied.count == 2_500)
            #expect(container.statementLog.count == 4)
            #expect(container.statementLog.events.filter { $0.sql.hasPrefix("COPY") }.count == 1)
            container.statementLog.start()
            let walked = try await container.perform { context in
                var walked: [String] = []
                for department in try context.fetch(Department.self) {
                    for employee in department.employees {
                        walked.append("\(employee.firstName) \(department.name) \(employee.salary)")
                    }
                }
                return walked
            }
            #expect(walked.sorted() == copied.sorted())
            #expect(container.statementLog.count == 2)
            #expect(container.statementLog.events.last?.sql.hasPrefix("COPY") == true)
        }
    }

    @Test("The first rows of a table come by COPY if they are many, and by a query otherwise")
    func manyFirstRowsComeByCopy() async throws {
        try await withLargeStore { container, _ in
            func names(_ request: FetchRequest<Employee>) async throws -> (names: [String], isCopied: Bool) {
                container.statementLog.start()
                let names = try await container.perform(isolation: .readCommitted) { context in
                    try context.fetch(request).map(\.firstName)
                }
                return (names, container.statementLog.events.contains { $0.sql.hasPrefix("COPY") })
            }
            var request = FetchRequest<Employee>()
            request.sortDescriptors = [.key("firstName")]
            let all = try await names(request).names
            #expect(all.count == 2_500)
            for limit in [1, 999, 1_000, 2_499, 2_500, 9_000] {
                request.fetchLimit = limit
                let first = try await names(request)
                #expect(first.names == Array(all.prefix(limit)))
                #expect(first.isCopied == (limit >= 1_000))
            }
            // What has parameters, locks rows or may be few rows is a query.
            request.fetchLimit = 2_000
            request.fetchOffset = 100
            let later = try await names(request)
            #expect(later.names == Array(all[100..<2_100]) && !later.isCopied)
            request.fetchOffset = 0
            request.predicate = .format("firstName != nil")
            let matching = try await names(request)
            #expect(matching.names == Array(all.prefix(2_000)) && !matching.isCopied)
            request.predicate = nil
            request.rowLock = .update
            let locked = try await names(request)
            #expect(locked.names == Array(all.prefix(2_000)) && !locked.isCopied)
        }
    }

    @Test func unsavedChangesAndKnownObjectsStay() async throws {
        try await withLargeStore { container, _ in
            try await container.perform { context in
                let some = try context.fetch(Employee.self, sortedBy: .key("firstName"), limit: 3)
                some[0].firstName = "changed"
                context.delete(some[1])
                let fault = context.object(with: some[2].objectID)
                context.refresh(fault)
                let all = try context.fetch(Employee.self)
                #expect(all.count == 2_499)
                #expect(all.contains { $0 === some[0] } && some[0].firstName == "changed")
                #expect(all.contains { $0 === fault } && !fault.isFault)
                let department = try #require(some[0].department)
                some[0].department = nil
                let members = department.employees.objects
                #expect(!members.contains(some[0]) && !members.isEmpty)
            }
        }
    }

    @Test func anAlteredColumnIsAnErrorAndTheConnectionGoesOn() async throws {
        try await withLargeStore { container, url in
            let connection = try Connection(ConnectionConfiguration(url))
            defer { connection.close() }
            try connection.executeScript("ALTER TABLE employee ALTER COLUMN visits TYPE integer")
            let error = await #expect(throws: FetchError.self) {
                try await container.perform { context in
                    #expect(try context.fetch(Department.self).count == 30)
                    _ = try context.fetch(Employee.self)
                }
            }
            #expect(error?.code == .schemaMismatch && error?.message.contains("visits") == true)
            let count = try await container.perform { try $0.fetch(Department.self).count }
            #expect(count == 30)
        }
    }

    @Test func aCohortBeyondItsBudgetIsAnError() async throws {
        try await withTestDatabase(for: Company.model()) { database in
            var options = StoreOptions()
            options.cohortRowLimit = 1_100
            let container = try await PersistentContainer.open(
                database.url, model: Company.model(), options: options)
            try await Company.fill(container, departments: 2, employees: 3_000)
            let error = await #expect(throws: FetchError.self) {
                try await container.perform { context in
                    for department in try context.fetch(Department.self) { _ = department.employees.objects }
                }
            }
            #expect(error?.code == .tooManyRows)
            await container.close()
        }
    }
}
