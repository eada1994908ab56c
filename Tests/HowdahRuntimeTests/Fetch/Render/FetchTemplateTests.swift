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
        ["location"], ["heads"], ["projects"], ["nothing"], ["firstName"], ["visits"], ["salary"],
        ["department"], ["lastName"], ["visits"], ["department", "head", "visits"], [],
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
        .equal, .equal, .equal, .notEqual, .lessThan, .greaterThanOrEqual, .contains, .in,
    ]

    /// All of a request but the values that it compares with.
    private struct Shape {
        let paths: [[String]]
        let operators: [PredicateTree.Operator]
        let junction: String
        let order: Int
        let limit: Int
        let offset: Int
        let prefetched: [String]
        let includesSubentities: Bool
        let isTagged: Bool

        func request(_ values: [Value]) -> FetchRequest<Employee> {
            let nodes = zip(zip(paths, operators), values).map { place, value in
                PredicateTree.Node.comparison(
                    lhs: place.0.isEmpty ? .evaluatedObject : .keyPath(place.0), op: place.1,
                    rhs: .constant(value))
            }
            var request = FetchRequest<Employee>()
            request.predicate = PredicateTree(
                junction == "all"
                    ? .and(nodes)
                    : junction == "any" ? .or(nodes) : junction == "not" ? .not(nodes[0]) : nodes[0])
            request.sortDescriptors =
                order == 0
                ? []
                : order == 1
                    ? [.ascending(\.firstName)] : [.descending(\.department, \.name), .ascending(\.visits)]
            (request.fetchLimit, request.fetchOffset) = (limit, offset)
            request.relationshipKeyPathsForPrefetching = prefetched
            request.includesSubentities = includesSubentities
            return isTagged ? request.tagged("a") : request
        }
    }

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
                let shapes = (0..<60).map { _ in
                    Shape(
                        paths: [generator.pick(Self.paths), generator.pick(Self.paths)],
                        operators: [generator.pick(Self.operators), generator.pick(Self.operators)],
                        junction: generator.pick(["one", "all", "any", "not"]),
                        order: generator.pick([0, 1, 2]),
                        limit: generator.pick([0, 1, 7]), offset: generator.pick([0, 0, 3]),
                        prefetched: generator.pick([[], ["department"]]),
                        includesSubentities: generator.pick([true, false]),
                        isTagged: generator.pick([true, false]))
                }
                for _ in 0..<3_000 {
                    let shape = generator.pick(shapes)
                    let drawn = shape.paths.map { path in
                        let isFit = Int.random(in: 0..<4, using: &generator) > 0
                        let fitting = isFit ? values.filter { Self.fits($0, path) } : []
                        return generator.pick(fitting.isEmpty ? values : fitting)
                    }
                    let request = shape.request(drawn)
                    let rendered = text { try fetch.statement(of: request, layout) }
                    let known = text {
                        switch try fetch.resolve(request, layout) {
                        case .known(let statement):
                            hits += 1
                            return statement
                        case .names(let names, _, let shape):
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
