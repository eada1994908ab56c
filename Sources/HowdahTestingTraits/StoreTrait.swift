import HowdahModel
import HowdahRuntime
import HowdahTesting
import PQClient
import Synchronization
public import Testing

/// A trait that gives each test case a separate open store in a real PostgreSQL.
///
/// ```swift
/// @Suite(.store(Shop.model)) struct OrderTests {
///     @Test func aNewOrderIsOpen() async throws {
///         let container = try TestStore.container
///         …
///     }
///
///     @Test(.store(Shop.model, sample: .perEntity(20), statements: 2))
///     func theListNeedsTwoStatements() async throws { … }
/// }
/// ```
/// The trait of a test replaces that of its suite. Each case of a parameterised test has its own store. If a
/// test fails, the statements that it sent are attached to it.
public struct StoreTrait: TestTrait, SuiteTrait, TestScoping {
    private let model: @Sendable () throws -> ManagedObjectModel
    private let sample: StoreSample?
    private let options: StoreOptions
    private let statements: Int?
    private let identity = Identity()

    private final class Identity: Sendable {}

    init(
        model: @escaping @Sendable () throws -> ManagedObjectModel, sample: StoreSample?,
        options: StoreOptions, statements: Int?
    ) {
        self.model = model
        self.sample = sample
        self.options = options
        self.statements = statements
    }

    /// True: the trait of a suite is for each of its tests.
    public var isRecursive: Bool { true }

    /// Runs a test case with its store.
    public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // Only cases need a store, and only one.
        guard testCase != nil, isNearest(to: test) else { return try await function() }
        if let statements, statements < 0 { throw NegativeNumber(argument: "Statements", number: statements) }
        if let count = sample?.count, count < 0 {
            throw NegativeNumber(argument: "The count of perEntity(_:seed:)", number: count)
        }
        let model = try model()
        try await withTemporaryStore(model, options: options) { container in
            if let sample { try await sample.insert(model, container) }
            container.statementLog.start()
            let failed = Atomic<Bool>(false)
            let watching = IssueHandlingTrait.compactMapIssues { issue in
                // An issue of no test comes to the runner, and to the cases of all tests that run.
                guard Test.current != nil else { return nil }
                // Known issues and warnings are none.
                if issue.isFailure { failed.store(true, ordering: .relaxed) }
                return issue
            }
            defer {
                // The end of a time limit is an issue of the runner, which cancels the test.
                if failed.load(ordering: .relaxed) || Task.isCancelled {
                    attach(container.statementLog.events, to: test)
                }
            }
            try await watching.provideScope(for: test, testCase: testCase) {
                do {
                    try await TestStore.$current.withValue(container) { try await function() }
                } catch {
                    failed.store(true, ordering: .relaxed)
                    throw error
                }
                checkCount(of: container, in: test)
            }
        }
    }

    /// Indicates whether this is the last trait of its kind: that of the test, or else of the innermost suite.
    private func isNearest(to test: Test) -> Bool {
        let nearest = test.traits.lazy.compactMap { $0 as? StoreTrait }.last
        return nearest.map { $0.identity === identity } ?? true
    }

    private func checkCount(of container: PersistentContainer, in test: Test) {
        let sent = container.statementLog.statements
        guard let statements, sent.count != statements else { return }
        let error = UnexpectedStatements(expected: statements, statements: sent)
        Issue.record(error, sourceLocation: test.sourceLocation)
    }

    private func attach(_ events: [StatementEvent], to test: Test) {
        if events.isEmpty { return }
        let lines = events.map { event in
            let outcome = event.error.map { "failed: \($0.sqlState ?? "\($0.code)")" } ?? "\(event.rows) rows"
            return "\(event.duration)  \(outcome)  \(event.sql)"
        }
        Attachment.record(
            lines.joined(separator: "\n"), named: "statements.txt", sourceLocation: test.sourceLocation)
    }

    private struct NegativeNumber: Error, CustomStringConvertible {
        let argument: String
        let number: Int

        var description: String {
            "\(argument) of the trait .store(model) is \(number). Set it to 0 or more."
        }
    }
}
