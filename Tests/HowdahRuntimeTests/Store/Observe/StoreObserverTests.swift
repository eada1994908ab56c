import Foundation
import Howdah
import HowdahTesting
import Synchronization
import TestSupport
import Testing

@testable import HowdahRuntime

@Suite struct StoreObserverTests {
    private static func options(_ recorder: EventRecorder?) -> StoreOptions {
        var options = StoreOptions()
        options.observer = recorder
        return options
    }

    @Test func aUnitOfWorkIsObservedInItsOrder() async throws {
        let recorder = EventRecorder()
        try await withStore(Company.model(), options: Self.options(recorder)) { container, _ in
            recorder.clear()
            try await makeCompany(in: container)
            let summaries = recorder.summaries
            #expect(summaries.first == "wait")
            #expect(summaries.suffix(3) == ["save: +5 ~0 -0 in 1", "use", "unit of work: 1 runs"])
            #expect(summaries.contains { $0.hasPrefix("BATCH") })
            recorder.clear()

            let names = try await container.perform { context in
                var request = FetchRequest<Employee>()
                request.sortDescriptors = [.ascending(\.firstName)]
                return try context.fetch(request.tagged("payroll")).compactMap { $0.department?.name }
            }
            #expect(names == ["Research", "Sales", "Research"])
            #expect(
                recorder.summaries == [
                    "wait", "SELECT employee", "step of 2: Employee.department", "SELECT department", "use",
                    "unit of work: 1 runs",
                ])
            for event in recorder.events {
                switch event {
                case .statement(let statement):
                    #expect(statement.operation == "SELECT")
                    #expect(statement.batchSize == nil)
                    #expect(statement.error == nil)
                    #expect(statement.duration > .zero)
                    #expect(statement.tag?.hasPrefix("payroll HowdahRuntimeTests/") == true)
                    #expect(statement.rows == (statement.collection == "employee" ? 3 : 2))
                case .cohortStep(let step): #expect(step.tag?.hasPrefix("payroll ") == true)
                case .unitOfWork(let unit):
                    #expect(unit.error == nil)
                    #expect(unit.queueTime <= unit.duration)
                default: break
                }
            }
        }
    }

    @Test func eachCallOfPerformAndWaitIsAUnitOfWork() async throws {
        let recorder = EventRecorder()
        try await withStore(Company.model(), options: Self.options(recorder)) { container, _ in
            recorder.clear()
            let background = container.newBackgroundContext()
            _ = try await background.perform { try $0.count(Employee.self) }
            #expect(recorder.summaries == ["wait", "SELECT employee", "use", "unit of work: 1 runs"])
            recorder.clear()
            await #expect(throws: CancellationError.self) {
                try await background.perform { _ in throw CancellationError() }
            }
            guard case .unitOfWork(let unit)? = recorder.events.last else {
                Issue.record("\(recorder.summaries)")
                return
            }
            #expect(unit.error is CancellationError)
        }
    }

    @Test func anIdleConnectionIsNoWait() async throws {
        let recorder = EventRecorder()
        try await withStore(Company.model(), options: Self.options(recorder)) { container, _ in
            func waits() -> [Duration] {
                defer { recorder.clear() }
                return recorder.events.compactMap { event in
                    if case .poolWait(let wait) = event { wait.duration } else { nil }
                }
            }
            _ = try await container.perform { try $0.count(Employee.self) }
            _ = waits()
            _ = try await container.perform { try $0.count(Employee.self) }
            #expect(waits() == [.zero])
            // Each holds a connection while the next one needs another, until the pool has to open one.
            let contexts = (0..<6).map { _ in container.newBackgroundContext() }
            @Sendable func nest(_ rest: ArraySlice<BackgroundContext>) throws {
                guard let context = rest.first else { return }
                try context.performAndWait { context in
                    _ = try context.count(Employee.self)
                    try nest(rest.dropFirst())
                }
            }
            try nest(contexts[...])
            let nested = waits()
            #expect(nested.count == 6 && nested.first == .zero && nested.contains { $0 > .zero })
        }
    }

    @Test func aLostUpdateIsAConflictAndARetry() async throws {
        let recorder = EventRecorder()
        try await withStore(Company.model(), options: Self.options(recorder)) { container, sql in
            try await makeCompany(in: container)
            recorder.clear()
            // Another session is faster, once.
            try await container.perform(retrying: .conflicts(upTo: 3)) { context in
                let employees = try context.fetch(Employee.self, matching: .format("firstName == 'Ada'"))
                if recorder.summaries.count < 4 {
                    try sql.rows("UPDATE employee SET _version = _version + 1")
                }
                employees[0].visits += 1
                try context.save()
            }
            let notable = recorder.summaries.filter { summary in
                ["conflict", "save", "retry", "unit"].contains { summary.hasPrefix($0) }
            }
            #expect(
                notable == [
                    "conflict of 1 Employee, thrown", "save: +0 ~0 -0 in 1", "retry of unitOfWork: 2",
                    "save: +0 ~1 -0 in 1", "unit of work: 2 runs",
                ])
        }
    }

    @Test func aConflictThatThePolicyResolvesIsARetryOfTheSave() async throws {
        let recorder = EventRecorder()
        try await withStore(Company.model(), options: Self.options(recorder)) { container, sql in
            try await makeCompany(in: container)
            recorder.clear()
            try await container.perform { context in
                context.mergePolicy = .mergeByPropertyObjectTrump
                let employees = try context.fetch(Employee.self, matching: .format("firstName == 'Ada'"))
                try sql.rows("UPDATE employee SET visits = 7, _version = _version + 1")
                employees[0].lastName = "Lovelace"
                try context.save()
            }
            let notable = recorder.summaries.filter { $0.contains("conflict") || $0.contains("retry") }
            #expect(notable == ["conflict of 1 Employee, resolved", "retry of save: 2"])
            #expect(recorder.summaries.contains("save: +0 ~1 -0 in 2"))
        }
    }

    @Test func withoutObserversNothingIsObserved() async throws {
        let recorder = EventRecorder()
        let cases: [(observers: [(any StoreObserver)?], isOn: Bool)] = [
            ([], false), ([nil, StoreObservers([])], false), ([nil, recorder], true),
        ]
        for (observers, isOn) in cases {
            var options = StoreOptions()
            options.observer = StoreObservers(observers)
            try await withStore(Company.model(), options: options) { container, _ in
                #expect(container.store.events.isOn == isOn)
            }
        }
    }

    @Test func aSaveWithoutChangesIsNotObserved() async throws {
        let recorder = EventRecorder()
        try await withStore(Company.model(), options: Self.options(recorder)) { container, _ in
            recorder.clear()
            try await container.perform { try $0.save() }
            #expect(recorder.summaries == ["unit of work: 1 runs"])
            try await container.perform { context in
                context.delete(Department(context: context))
                try context.save()
            }
            #expect(!recorder.summaries.contains { $0.hasPrefix("save") })
        }
    }

    @Test func aFailedStatementHasItsError() async throws {
        let recorder = EventRecorder()
        try await withStore(Company.model(), options: Self.options(recorder)) { container, sql in
            try sql.rows("ALTER TABLE employee ADD CHECK (visits < 5)")
            recorder.clear()
            await #expect(throws: SaveError.self) {
                try await container.perform { context in
                    let employee = Employee(context: context)
                    (employee.firstName, employee.visits) = ("Ada", 6)
                    try context.save()
                }
            }
            let errors = recorder.events.compactMap { event in
                if case .statement(let statement) = event { statement.error?.sqlState } else { nil }
            }
            #expect(errors.first == "23514")
        }
    }

    /// Counts employees by the observed container during each event.
    private final class Counter: StoreObserver {
        let container = Mutex<PersistentContainer?>(nil)
        let counts = Mutex<[Int]>([])

        func observe(_ event: StoreEvent) {
            guard let container = container.withLock(\.self) else { return }
            let count = try? container.newBackgroundContext().performAndWait { try $0.count(Employee.self) }
            counts.withLock { $0.append(count ?? -1) }
        }
    }

    /// Also with one connection, which the observed unit of work holds.
    @Test func anObserverMayUseTheContainer() async throws {
        let counter = Counter()
        var options = StoreOptions()
        options.observer = counter
        options.maximumConnections = 1
        try await withStore(Company.model(), options: options) { container, _ in
            counter.container.withLock { $0 = container }
            try await makeCompany(in: container)
            let before = counter.counts.withLock(\.count)
            #expect(before >= 4)
            let found = try await container.perform { try $0.count(Employee.self) }
            #expect(found == 3)
            counter.container.withLock { $0 = nil }
            let counts = counter.counts.withLock(\.self)
            #expect(!counts.contains(-1))
            // The wait, the statement, the use of the connection and the unit of work, and none of its own.
            #expect(counts.dropFirst(before) == [3, 3, 3, 3])
        }
    }

    @Test func severalObserversReceiveTheSameEvents() async throws {
        let (first, second) = (EventRecorder(), EventRecorder())
        var options = StoreOptions()
        options.observer = StoreObservers([first, second])
        try await withStore(Company.model(), options: options) { container, _ in
            try await makeCompany(in: container)
            _ = try await container.perform { try $0.count(Employee.self) }
        }
        #expect(first.summaries.contains("SELECT employee"))
        #expect(first.summaries == second.summaries)
    }

    @Test func theFirstConnectionIsObserved() async throws {
        let recorder = EventRecorder()
        try await withStore(Company.model(), options: Self.options(recorder)) { _, _ in
            let times = recorder.events.compactMap { event in
                if case .connectionOpened(let time) = event { time } else { nil }
            }
            #expect(times.first.map { $0 > .zero } == true)
        }
    }

    /// The observer sees what is sent, and changes nothing of it.
    @Test func textsAreTheSameWithoutAnObserver() async throws {
        func texts(_ recorder: EventRecorder?) async throws -> [String] {
            try await withStore(Company.model(), options: Self.options(recorder)) { container, _ in
                container.statementLog.start()
                try await makeCompany(in: container)
                try await container.perform(isolation: .serializable) { context in
                    let employees = try context.fetch(FetchRequest<Employee>())
                    for employee in employees { employee.lastName = employee.department?.name }
                    context.delete(employees[0])
                    try context.save()
                }
                #expect(container.store.events.isOn == (recorder != nil))
                return container.statementLog.events.map(\.sql)
            }
        }
        let recorder = EventRecorder()
        let observed = try await texts(recorder)
        #expect(observed.count > 8)
        #expect(try await texts(nil) == observed)
        let seen = recorder.events.flatMap { event -> [String] in
            if case .statement(let statement) = event { statement.texts } else { [] }
        }
        #expect(Array(seen.suffix(observed.count)) == observed)
    }
}
