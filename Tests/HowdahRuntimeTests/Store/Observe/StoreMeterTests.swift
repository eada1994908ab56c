import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime
@testable import PQClient

/// The numbers that metrics receive without events: each statement once, whatever becomes of the unit of work.
@Suite struct StoreMeterTests {
    private static func options(_ recorder: MeterRecorder) -> StoreOptions {
        var options = StoreOptions()
        options.observer = recorder
        return options
    }

    @Test func numbersAreThoseOfTheEvents() async throws {
        func work(_ container: PersistentContainer) async throws {
            try await makeCompany(in: container)
            try await container.perform { context in
                for employee in try context.fetch(FetchRequest<Employee>()) {
                    employee.lastName = employee.department?.name
                }
                try context.save()
                _ = try context.fetchRows(
                    Int64.self, sql: "SELECT 1::int8 FROM pg_catalog.generate_series(1, 3)")
            }
            try await container.perform(isolation: .serializable) { context in
                let employees = try context.fetch(FetchRequest<Employee>())
                context.delete(employees[0])
                try context.save()
            }
        }
        let (numbers, events) = (MeterRecorder(), EventRecorder())
        try await withStore(Company.model(), options: Self.options(numbers)) { container, _ in
            numbers.clear()
            try await work(container)
        }
        var options = StoreOptions()
        options.observer = events
        try await withStore(Company.model(), options: options) { container, _ in
            events.clear()
            try await work(container)
        }
        var (statements, rows, objects) = ([String: Int](), 0, 0)
        for event in events.events {
            switch event {
            case .statement(let statement):
                let name = statement.summary == "postgresql" ? "own" : statement.summary
                statements[name, default: 0] += 1
                rows += statement.rows
            case .save(let save): objects += save.insertedCount + save.updatedCount + save.deletedCount
            default: break
            }
        }
        let record = numbers.record
        #expect(record.statements == statements)
        #expect(record.statements["own"] != nil)
        #expect(record.statements["COMMIT"] != nil)
        #expect(record.rows == rows)
        #expect(record.objects == objects)
        #expect(record.saves == events.summaries.filter { $0.hasPrefix("save") }.count)
        #expect(record.units == events.summaries.filter { $0.hasPrefix("unit of work") }.count)
        #expect(record.waits == 3)
        #expect(record.uses == 3)
        #expect(!record.isNegative)
    }

    @Test func manyStatementsOfManyUnitsAreRecordedOnce() async throws {
        let numbers = MeterRecorder()
        try await withStore(Company.model(), options: Self.options(numbers)) { container, _ in
            numbers.clear()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await container.perform { context in
                            for _ in 0..<300 { _ = try context.count(Employee.self) }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let record = numbers.record
            #expect(record.statements["SELECT employee"] == 2_400)
            #expect(record.rows == 2_400)
            // Few of them are passed on by themselves.
            #expect(record.passes >= 24)
            #expect(record.units == 8)
        }
    }

    @Test func aLongUnitOfWorkPassesItsNumbersOn() async throws {
        let numbers = MeterRecorder()
        try await withStore(Company.model(), options: Self.options(numbers)) { container, _ in
            numbers.clear()
            try await container.perform { context in
                _ = try context.count(Employee.self)
                Thread.sleep(forTimeInterval: 1.1)
                _ = try context.count(Employee.self)
                #expect(numbers.record.statements["SELECT employee"] == 2)
            }
        }
    }

    @Test func statementsBeforeALostConnectionAreRecorded() async throws {
        let numbers = MeterRecorder()
        try await withStore(Company.model(), options: Self.options(numbers)) { container, _ in
            numbers.clear()
            await #expect(throws: (any Error).self) {
                try await container.perform { context in
                    for _ in 0..<5 { _ = try context.count(Employee.self) }
                    _ = try context.fetchRows(
                        Bool.self, sql: "SELECT pg_terminate_backend(pg_catalog.pg_backend_pid())")
                }
            }
            let record = numbers.record
            #expect(record.statements["SELECT employee"] == 5)
            let failed = record.events.filter { event in
                if case .statement(let statement) = event { statement.error != nil } else { false }
            }
            #expect(failed.count == 1)
            #expect(record.uses == 1)
        }
    }

    @Test func statisticsAndTheLogReceiveEventsAtOnce() async throws {
        let numbers = MeterRecorder()
        try await withStore(Company.model(), options: Self.options(numbers)) { container, _ in
            numbers.clear()
            try await container.perform { context in
                _ = try context.count(Employee.self)
                container.statistics.start()
                _ = try context.count(Employee.self)
                _ = try context.count(Employee.self)
                container.statistics.stop()
                container.statementLog.start()
                _ = try context.count(Employee.self)
                #expect(container.statementLog.count == 1)
                container.statementLog.stop()
                _ = try context.count(Employee.self)
            }
            #expect(container.statistics.report.roundTrips == 2)
            let record = numbers.record
            #expect(record.statements["SELECT employee"] == 2)
            let events = record.events.filter { event in
                if case .statement = event { true } else { false }
            }
            #expect(events.count == 3)
        }
    }

    /// The tables of links are known as those of entities are, so that nothing is made for each statement.
    @Test func statementsForLinksAreNumbersToo() async throws {
        let numbers = MeterRecorder()
        try await withStore(Company.model(), options: Self.options(numbers)) { container, _ in
            numbers.clear()
            try await container.perform { context in
                let (employee, project) = (Employee(context: context), Project(context: context))
                (employee.firstName, project.title) = ("Ada", "Engine")
                try context.save()
                employee.projects.insert(project)
                try context.save()
                employee.projects.remove(project)
                try context.save()
                context.delete(project)
                try context.save()
            }
            let layout = try #require(container.store.layouts.entities.first { $0.name == "Employee" })
            guard case .join(let columns) = layout.relationship(7).storage else {
                Issue.record("The projects of an employee are not links.")
                return
            }
            #expect(columns.subject.isKept)
            #expect(columns.turned.subject === columns.subject)
            let record = numbers.record
            #expect(!record.statements.isEmpty)
            let events = record.events.filter { event in
                if case .statement = event { true } else { false }
            }
            #expect(events.isEmpty)
        }
    }

    @Test func twoContainersOfOneObserverAreCountedTogether() async throws {
        let numbers = MeterRecorder()
        try await withStore(Company.model(), options: Self.options(numbers)) { first, _ in
            try await withStore(Company.model(), options: Self.options(numbers)) { second, _ in
                numbers.clear()
                _ = try await first.perform { try $0.count(Employee.self) }
                _ = try await second.perform { try $0.count(Employee.self) }
                await second.close()
                await #expect(throws: StoreError.self) {
                    try await second.perform { try $0.count(Employee.self) }
                }
                _ = try await first.perform { try $0.count(Employee.self) }
            }
        }
        #expect(numbers.record.statements["SELECT employee"] == 3)
        #expect(numbers.record.units == 3)
    }
}
