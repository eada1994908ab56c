import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Each statement that Howdah itself sends has an operation. Only your own SQL has none.
@Suite struct OwnSummaryTests {
    private static func options(_ recorder: EventRecorder, _ log: LogRecorder) -> StoreOptions {
        var options = StoreOptions()
        (options.observer, options.logger) = (recorder, log.logger)
        return options
    }

    /// The summaries of the statements, after those without an operation became issues.
    private static func summaries(_ recorder: EventRecorder, _ log: LogRecorder) -> Set<String> {
        let statements = recorder.events.compactMap { event in
            if case .statement(let statement) = event { statement } else { nil }
        }
        for statement in statements {
            #expect(statement.operation != nil, "\(statement.texts)")
            #expect(!statement.summary.isEmpty && statement.summary != "postgresql", "\(statement.texts)")
        }
        for entry in log.entries {
            guard let text = entry.metadata["db.query.text"] else { continue }
            #expect(entry.metadata["db.query.summary"]?.isEmpty == false, "\(text)")
        }
        return Set(statements.map(\.summary))
    }

    @Test func unitsSavesAndBatches() async throws {
        let (recorder, log) = (EventRecorder(), LogRecorder())
        var options = Self.options(recorder, log)
        options.resolvesLostCommits = true
        try await withStore(Company.model(), options: options) { container, sql in
            try await makeCompany(in: container)
            try await container.perform(isolation: .serializable) { context in
                for number in 0..<300 { Employee(context: context).firstName = "E\(number)" }
                try context.save()
                let departments = try context.fetch(Department.self)
                departments[0].employees.first?.lastName = "x"
                context.delete(departments[0])
                try context.save()
                _ = try context.explain(FetchRequest<Employee>())
                var page = FetchRequest<Employee>()
                (page.sortDescriptors, page.fetchLimit) = ([.ascending(\.firstName)], 2)
                _ = try context.fetchPage(page)
            }
            try await container.perform(isolation: .readCommitted) { context in
                try context.execute(
                    BatchUpdateRequest(
                        Employee.self, matching: .format("firstName BEGINSWITH 'E'"),
                        set: ["visits": .increment(by: 1)]))
                try context.execute(BatchDeleteRequest(Department.self, matching: .format("name == 'Sales'")))
                try context.execute(
                    BatchInsertRequest(Employee.self, objects: [["firstName": "A"], ["firstName": "B"]]))
                var locking = FetchRequest<Employee>()
                locking.rowLock = .update
                _ = try context.fetch(locking)
            }
            await #expect(throws: SaveError.self) {
                try await container.perform { context in
                    let employee = try context.fetch(Employee.self)[0]
                    try sql.rows("DELETE FROM employee WHERE _id = \(employee.objectID.key)")
                    employee.lastName = "y"
                    try context.save()
                }
            }
            try await container.setMetadata(["a": 1])
        }
        let summaries = Self.summaries(recorder, log)
        let expected: Set = ["SELECT employee", "COPY employee", "ROLLBACK", "EXPLAIN", "OPEN"]
        #expect(expected.subtracting(summaries) == [], "\(summaries)")
    }

    @Test func history() async throws {
        let (recorder, log) = (EventRecorder(), LogRecorder())
        var options = Self.options(recorder, log)
        options.history = .enabled
        try await withStore(Company.model(), options: options) { container, _ in
            let token = try await container.currentHistoryToken()
            let consumer = try await container.historyConsumer("mailer")
            try await makeCompany(in: container)
            try await container.perform { context in
                for employee in try context.fetch(Employee.self) { employee.visits += 1 }
                try context.save()
                try context.execute(BatchUpdateRequest(Employee.self, set: ["visits": .increment(by: 1)]))
            }
            let ids = try await container.perform { context in
                _ = try context.execute(HistoryRequest.fetch(after: token))
                return try context.fetch(Employee.self).map(\.objectID)
            }
            var loop = consumer.changes(of: [Employee.self]).makeAsyncIterator()
            try await consumer.acknowledge(try #require(try await loop.next()))
            _ = try await container.eraseTombstones(of: ids)
            _ = try await container.historyStatus()
            try await container.deleteHistory(before: token)
            try await container.perform { context in
                try context.withConnection { connection in
                    _ = try HistoryKeeping(context.store).beat(on: connection)
                    try HistoryKeeping(context.store).maintain(on: connection)
                }
            }
            _ = try await container.removeHistoryConsumer("mailer")
        }
        let summaries = Self.summaries(recorder, log)
        let expected: Set = [
            "UPDATE _howdah_history_consumer", "DELETE _howdah_history_consumer",
            "SELECT _howdah_history_consumer",
        ]
        #expect(expected.subtracting(summaries) == [], "\(summaries)")
    }

    /// Names come from the code that renders a statement, and that of your own SQL is not Howdah's.
    @Test func yourOwnStatementsAreNotParsed() async throws {
        let recorder = EventRecorder()
        var options = StoreOptions()
        options.observer = recorder
        try await withStore(Company.model(), options: options) { container, _ in
            recorder.clear()
            try await container.perform { context in
                _ = try context.fetchRows(Int64.self, sql: "SELECT pg_catalog.count(*) FROM employee")
            }
            #expect(recorder.summaries == ["wait", "postgresql", "use", "unit of work: 1 runs"])
        }
    }
}
