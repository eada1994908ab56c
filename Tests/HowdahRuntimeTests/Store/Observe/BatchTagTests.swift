import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// The call site of a batch request is in each of its statements, and in their events.
@Suite struct BatchTagTests {
    private struct Case: Sendable {
        let name: String
        let run: @Sendable (ManagedObjectContext) throws -> Int
    }

    private static func employees(_ limit: Int = 0, _ predicate: PredicateTree? = nil) -> FetchRequest<
        Employee
    > {
        var request = FetchRequest<Employee>()
        (request.predicate, request.fetchLimit) = (predicate, limit)
        request.sortDescriptors = [.ascending(\.firstName)]
        return request.tagged("site", file: "A/B.swift", line: 7)
    }

    private static let inResearch = PredicateTree.format("department.name == 'Research'")

    private static let cases = [
        Case(name: "update") {
            try $0.execute(BatchUpdateRequest(employees(), set: ["visits": 1])).count
        },
        Case(name: "limited update") {
            try $0.execute(BatchUpdateRequest(employees(2), set: ["visits": 2])).count
        },
        Case(name: "update by other rows") {
            try $0.execute(BatchUpdateRequest(employees(0, inResearch), set: ["visits": 3])).count
        },
        Case(name: "update of a relationship") {
            try $0.execute(BatchUpdateRequest(employees(1), set: ["department": nil])).count
        },
        Case(name: "deletion by other rows") {
            try $0.execute(BatchDeleteRequest(employees(1, inResearch))).count
        },
        Case(name: "deletion with cascades and cleared references") {
            let request = FetchRequest<Department>().tagged("site", file: "A/B.swift", line: 7)
            return try $0.execute(BatchDeleteRequest(request)).count
        },
        Case(name: "deletion") { try $0.execute(BatchDeleteRequest(employees())).count },
    ]

    /// Statements that only control the transaction, look for the store, or mark or write the history.
    private static func isOfAnyRequest(_ text: String) -> Bool {
        let beginnings = [
            "BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "SET ", StoreMark.checkBeginning,
            StoreHistory.markBeginning,
        ]
        return beginnings.contains { text.hasPrefix($0) } || StoreHistory.writesOnlyHistory(text)
    }

    @Test(arguments: [false, true], [nil, Isolation.readCommitted])
    func eachStatementNamesTheCallSite(hasHistory: Bool, isolation: Isolation?) async throws {
        let recorder = EventRecorder()
        var options = StoreOptions()
        options.observer = recorder
        if hasHistory { options.history = .enabled }
        // Its statements, five seconds after the opening, are of no call.
        options.keepsHistory = false
        try await withStore(Company.model(), options: options) { container, _ in
            try await makeCompany(in: container)
            for test in Self.cases {
                recorder.clear()
                let count = try await Self.run(test, in: container, isolation)
                #expect(count > 0, "\(test.name)")
                let statements = recorder.events.compactMap { event in
                    if case .statement(let statement) = event { statement } else { nil }
                }
                let texts = statements.flatMap(\.texts).filter { !Self.isOfAnyRequest($0) }
                #expect(!texts.isEmpty)
                for text in texts {
                    let parts = text.components(separatedBy: "/* site A/B.swift:7 */")
                    #expect(parts.count == 2 && parts[1].isEmpty, "\(test.name): \(text)")
                }
                // In the transaction of a unit of work, the unit's own COMMIT is of no request.
                for statement in statements
                where isolation == nil || !statement.texts.allSatisfy(Self.isOfAnyRequest) {
                    #expect(statement.tag == "site A/B.swift:7", "\(test.name): \(statement.texts)")
                }
                // Also if the statement returns no rows, but their number.
                if isolation == nil, statements.count == 1 {
                    #expect(statements[0].rows == count, "\(test.name)")
                }
            }
        }
    }

    private static func run(
        _ test: Case, in container: PersistentContainer, _ isolation: Isolation?
    ) async throws -> Int {
        guard let isolation else { return try await container.perform { try test.run($0) } }
        return try await container.perform(isolation: isolation) { try test.run($0) }
    }
}
