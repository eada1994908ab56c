import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// A pattern that the server cannot take is the fault of the request, whatever ran it.
@Suite struct LargePatternTests {
    private static let pattern = "(((a{255}){255}){255}){255}"
    private static let predicate = PredicateTree.format(
        "visits == 0 AND department.name MATCHES %@", pattern)

    private static func expectRefusal(
        _ what: String, _ part: String = "department.name MATCHES '\(pattern)'", _ body: () throws -> Void
    ) {
        do {
            try body()
            Issue.record("\(what) ran")
        } catch {
            let error = error as? FetchError
            #expect(error?.code == .invalidRequest, "\(what)")
            #expect(error?.message.contains(part) == true, "\(what): \(error.map { "\($0)" } ?? "another")")
        }
    }

    @Test func everyReadNamesIt() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 1, employees: 1)
            try await container.perform { context in
                var request = FetchRequest<Employee>()
                request.predicate = Self.predicate
                request.fetchLimit = 5
                let asked = request
                Self.expectRefusal("fetch") { _ = try context.fetch(asked) }
                Self.expectRefusal("count") { _ = try context.count(for: asked) }
                Self.expectRefusal("page") { _ = try context.fetchPage(asked) }
                Self.expectRefusal("batches") { try context.forEachBatch(of: asked) { _ in } }
                Self.expectRefusal("ids") { _ = try context.fetchObjectIDs(asked) }
                Self.expectRefusal("values") { _ = try context.fetchValues(of: \.firstName, asked) }
                Self.expectRefusal("analysis") { _ = try context.explain(asked, analyzing: true) }
                request.propertiesToFetch = ["firstName"]
                let values = request
                Self.expectRefusal("dictionaries") { _ = try context.fetchDictionaries(values) }
                request.predicate = nil
                request.propertiesToGroupBy = ["firstName"]
                request.havingPredicate = .format("firstName MATCHES %@", Self.pattern)
                let groups = request
                Self.expectRefusal("groups", "firstName MATCHES") {
                    _ = try context.fetchDictionaries(groups)
                }
                let departments = try context.fetch(Department.self)
                var members = FetchRequest<Employee>()
                members.predicate = Self.predicate
                let few = members
                Self.expectRefusal("members") {
                    _ = try context.fetchMembers("employees", of: departments, few)
                }
            }
            var request = FetchRequest<Employee>()
            request.predicate = Self.predicate
            do {
                for try await _ in container.batches(of: request, { $0.firstName }) {}
                Issue.record("the stream ran")
            } catch let error as FetchError {
                #expect(error.code == .invalidRequest && error.message.contains(Self.pattern))
            }
        }
    }

    @Test func everyBatchRequestNamesIt() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 1, employees: 1)
            try await container.perform { context in
                Self.expectRefusal("update") {
                    try context.execute(
                        BatchUpdateRequest(Employee.self, matching: Self.predicate, set: ["visits": 1]))
                }
                let value = BatchUpdateValue.expression(
                    "TERNARY(firstName MATCHES %@, 'a', 'b')", Self.pattern)
                Self.expectRefusal("value", "firstName MATCHES '\(Self.pattern)'") {
                    try context.execute(BatchUpdateRequest(Employee.self, set: ["lastName": value]))
                }
                Self.expectRefusal("deletion") {
                    try context.execute(BatchDeleteRequest(Employee.self, matching: Self.predicate))
                }
                let count = try context.count(Employee.self)
                #expect(count == 1)
            }
        }
    }
}
