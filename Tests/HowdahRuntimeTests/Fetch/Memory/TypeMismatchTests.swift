import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Operands whose types do not compare are the same error in SQL and in memory.
@Suite struct TypeMismatchTests {
    private static let types: [(name: String, type: AttributeType, value: any Sendable)] = [
        ("text", .string, "5"), ("whole", .integer64, 5), ("exact", .decimal, Decimal(5)),
        ("real", .double, 5.0),
        ("flag", .boolean, true), ("moment", .date, Date(timeIntervalSinceReferenceDate: 5)),
        ("key", .uuid, UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
        ("bytes", .binary, Data([5])),
    ]

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription("Item", properties: types.map { .attribute($0.name, $0.type) })
        ])
    }

    private enum Answer: Equatable {
        case holds(Int)
        case error(PredicateTreeError.Code)
    }

    private static func answer(_ body: () throws -> Int) throws -> Answer {
        do { return .holds(try body()) } catch let error as PredicateTreeError { return .error(error.code) }
    }

    /// Each attribute against a value of each type and against each other attribute, by each operator.
    @Test func memoryAnswersAsAFetchDoes() async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { context in
                let item = context.insert("Item")
                for (name, _, value) in Self.types { item[name] = value }
                _ = context.insert("Item")
                try context.save()
                var request = FetchRequest<ManagedObject>(entityName: "Item")
                let all = try context.fetch(request)
                var counts: [String: Int] = [:]
                for op in ["==", "!=", "<", ">=", "IN", "BEGINSWITH", "CONTAINS"] {
                    for (name, _, _) in Self.types {
                        let right =
                            Self.types.map { ("%K \(op) %@", [name, op == "IN" ? [$0.value] : $0.value]) }
                            + (op == "IN" ? [] : Self.types.map { ("%K \(op) %K", [name, $0.name]) })
                        for (format, arguments) in right as [(String, [any Sendable])] {
                            let predicate = try PredicateTree(format: format, arguments: arguments)
                            request.predicate = predicate
                            let fetched = try Self.answer { try context.fetch(request).count }
                            let filtered = try Self.answer { try all.filtered(using: predicate).count }
                            #expect(fetched == filtered, "\(format) \(arguments)")
                            if case .error(let code) = fetched { counts[code.description, default: 0] += 1 }
                            counts["all", default: 0] += 1
                        }
                    }
                }
                // Both kinds were there.
                #expect(
                    (counts["argumentType"] ?? 0) > 100 && (counts["invalidOperand"] ?? 0) > 50, "\(counts)")
                #expect((counts["all"] ?? 0) > 700)
            }
        }
    }

    @Test func theMessageNamesTheProperty() async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { context in
                let item = context.insert("Item")
                let error = #expect(throws: PredicateTreeError.self) {
                    try PredicateTree(format: "whole == '5'", arguments: []).evaluate(with: item)
                }
                #expect(
                    error?.message
                        == "Item.whole cannot be compared with a String. Use a value of the type of the attribute."
                )
                context.rollback()
            }
        }
    }
}
