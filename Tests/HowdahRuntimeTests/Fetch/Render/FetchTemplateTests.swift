import Foundation
import HowdahModel
import HowdahTesting
import PQClient
import SeededRandom
import TestSupport
import Testing

@testable import HowdahRuntime

/// A fetch whose shape is known has the statement that it would have if it were rendered.
@Suite(.timeLimit(.minutes(60))) struct FetchTemplateTests {
    /// Values of all kinds, among them those that change the text, or are errors.
    private static func values(_ context: ManagedObjectContext) throws -> [Value] {
        let ids = try context.fetch(Employee.self).prefix(2).map(\.objectID)
        let others = try context.fetch(Department.self).prefix(2).map(\.objectID)
        return [
            .int(0), .int(7), .int(.max), .int(1 << 40), .double(1.5), .double(.nan), .double(1e300),
            .float(2.5),
            .decimal(Decimal(12)), .bool(true), .string(""), .string("e001"), .string("a\0"),
            .string(String(repeating: "x", count: 2_000)), .date(Date(timeIntervalSince1970: 7)),
            .date(Date(timeIntervalSinceReferenceDate: .nan)), .uuid(UUID()), .data(Data([1])), .null,
            .composite([.double(1), .double(2)]), .array([.int(1)]),
        ] + ids.compactMap { Value(predicateArgument: $0) }
            + others.compactMap { Value(predicateArgument: $0) }
    }

    private static let paths: [[String]] = [
        ["firstName"], ["lastName"], ["salary"], ["hiredAt"], ["visits"], ["department"],
        ["department", "name"],
        ["location"], ["heads"], ["projects"], ["nothing"], ["department", "head", "visits"], [],
    ]
    /// Returns a Boolean value that indicates whether most operators take a value for the property.
    private static func fits(_ value: Value, _ path: [String]) -> Bool {
        switch (path.last, value) {
        case ("firstName", .string), ("lastName", .string), ("name", .string), ("hiredAt", .date): true
        case ("salary", .int), ("salary", .decimal), ("salary", .double), ("visits", .int),
            ("visits", .double):
            true
        case ("department", .reference), ("heads", .reference), (nil, .reference): true
        default: false
        }
    }

    private static let operators: [PredicateTree.Operator] = [
        .equal, .notEqual, .lessThan, .greaterThanOrEqual, .contains, .in,
    ]

    private func text(_ body: () throws -> FetchStatement) -> String {
        do {
            let statement = try body()
            return "\(statement.sql) \(statement.parameters) \(statement.joined.count)"
        } catch {
            return "\(error)"
        }
    }

    @Test("Statements from templates are those that rendering makes", arguments: 0..<8)
    func agreement(seed: UInt64) async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 2, employees: 3)
            try await container.perform { context in
                var generator = SeededGenerator(seed: seed)
                let values = try Self.values(context)
                let fetch = StoreFetch(context: context)
                let layout = try #require(context.store.layouts.layout(named: "Employee"))
                var (hits, count) = (0, 0)
                for _ in 0..<3_000 {
                    func comparison() -> PredicateTree.Node {
                        let path = generator.pick(Self.paths)
                        let isFit = Int.random(in: 0..<4, using: &generator) > 0
                        let fitting = isFit ? values.filter { Self.fits($0, path) } : []
                        return .comparison(
                            lhs: path.isEmpty ? .evaluatedObject : .keyPath(path),
                            op: generator.pick(Self.operators),
                            rhs: .constant(generator.pick(fitting.isEmpty ? values : fitting)))
                    }
                    var request = FetchRequest<Employee>()
                    let (a, b) = (comparison(), comparison())
                    request.predicate = PredicateTree(
                        generator.pick([a, .and([a, b]), .or([a, b]), .not(a)]))
                    request.sortDescriptors = generator.pick([
                        [], [.ascending(\.firstName)],
                        [.descending(\.department, \.name), .ascending(\.visits)],
                    ])
                    request.fetchLimit = generator.pick([0, 1, 7])
                    request.fetchOffset = generator.pick([0, 0, 3])
                    request.relationshipKeyPathsForPrefetching = generator.pick([[], ["department"]])
                    request.includesSubentities = generator.pick([true, false])
                    if Bool.random(using: &generator) { request = request.tagged("a") }
                    let rendered = text { try fetch.statement(of: request, layout) }
                    let known = text {
                        switch try fetch.resolve(request, layout) {
                        case .known(let statement):
                            hits += 1
                            return statement
                        case .names(let names, let shape):
                            let fresh = try fetch.statement(of: request, layout)
                            if let shape { fetch.keep(fresh, of: try RenderedFetch(names), shape) }
                            return fresh
                        }
                    }
                    count += rendered.hasPrefix("SELECT") ? 1 : 0
                    #expect(known == rendered, "seed \(seed)")
                }
                #expect(hits > 200 && count > 600)
            }
        }
    }

    @Test("A value that changes the text is rendered, and so is one that is an error")
    func otherTexts() async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 2, employees: 10)
            try await container.perform { (context: ManagedObjectContext) throws in
                func count(_ predicate: PredicateTree) throws -> Int {
                    try context.fetch(Employee.self, matching: predicate).count
                }
                for _ in 0..<2 {
                    #expect(try count(.format("visits >= %d", 0)) == 10)
                    #expect(try count(.format("visits >= %lf", 0.5)) == 0)
                    #expect(try count(.format("visits < %lf", 1e300)) == 10)
                    #expect(throws: PredicateTreeError.self) { try count(.format("visits >= %@", "a")) }
                    #expect(try count(.format("firstName == %@", "e003")) == 1)
                    #expect(throws: FetchError.self) { try count(.format("firstName == %@", "e\0")) }
                    #expect(try count(.format("lastName == %@", "none")) == 0)
                    #expect(try count(.format("lastName == nil")) == 10)
                }
                let shapes = context.store.caches.cache(FetchTemplates.self).count
                #expect(try count(.format("visits >= %d", 3)) == 0)
                #expect(context.store.caches.cache(FetchTemplates.self).count == shapes)
            }
        }
    }

    @Test("Many shapes do not stay in memory")
    func limit() async throws {
        try await withTestStore(Company.model()) { container in
            try await container.perform { (context: ManagedObjectContext) throws in
                for limit in 0..<1_200 {
                    let terms = (0..<(limit / 12 + 1)).map { _ in PredicateTree.format("visits > %d", limit) }
                    var request = FetchRequest<Employee>()
                    request.predicate = .and(terms)
                    request.sortDescriptors = limit % 2 == 0 ? [.ascending(\.firstName)] : []
                    request.fetchLimit = limit % 3
                    request.fetchOffset = limit % 4
                    #expect(try context.fetch(request).isEmpty)
                }
                let count = context.store.caches.cache(FetchTemplates.self).count
                #expect(count > 0 && count <= 512)
            }
        }
    }
}
