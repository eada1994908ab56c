import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Doubles against integers that no Double holds, in the database and in memory.
@Suite struct LargeIntegerTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Mark",
                properties: [
                    .attribute("score", .double), .attribute("small", .float), .attribute("money", .decimal),
                    .attribute("scores", .array(of: .double)),
                    .attribute("place", .composite(Location.compositeDescription)),
                    .relationship("next", to: "Mark", inverse: "previous"),
                    .relationship("previous", to: "Mark", inverse: "next", toMany: true),
                ], fetchIndexes: [FetchIndexDescription("score", on: "score")])
        ])
    }

    private static let operands = [
        "score", "small", "place.latitude", "previous.@sum.score", "previous.@avg.score",
        "previous.@min.score", "previous.@max.score", "floor:(score)", "trunc:(score)", "money + score",
        "next.score",
    ]
    private static let numbers: [Int64] = [
        9_007_199_254_740_991, 9_007_199_254_740_992, 9_007_199_254_740_993, -9_007_199_254_740_993,
        9_007_199_254_740_995, 9_223_372_036_854_775_807, -9_223_372_036_854_775_807, 1,
    ]

    /// In a quick run one that is rounded down, a negative one and the largest.
    private static let compared = TestTier.choose(
        quick: [numbers[2], numbers[3], numbers[5]], all: numbers, nightly: numbers)

    private static var predicates: [PredicateTree] {
        operands.flatMap { operand in
            compared.flatMap { number -> [PredicateTree] in
                ["==", "!=", "<", "<=", ">", ">="].flatMap { op -> [PredicateTree] in
                    [
                        .format("\(operand) \(op) \(number)"), .format("\(operand) \(op) %@", number),
                        .format("\(number) \(op) \(operand)"), .format("NOT (\(operand) \(op) \(number))"),
                    ]
                } + [
                    .format("\(operand) IN {\(number), 1}"), .format("NOT (\(operand) IN %@)", [number, 2]),
                    .format("\(operand) BETWEEN {\(number), 9223372036854775807}"),
                    .format("\(operand) BETWEEN {0, \(number)}"),
                ]
            }
        }
            + compared.flatMap { number -> [PredicateTree] in
                [
                    .format("scores CONTAINS \(number)"), .format("ANY scores < \(number)"),
                    .format("ALL scores >= \(number)"), .format("ANY scores IN {\(number), 3}"),
                    .format("ANY previous.score == \(number)"),
                ]
            }
    }

    @Test func theDatabaseAndMemoryAgree() async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { context in
                let values: [Double?] = [
                    9_007_199_254_740_992, 9_007_199_254_740_994, -9_007_199_254_740_992, 0x1p63, -0x1p63,
                    9_007_199_254_740_996, 1, 0.5, .nan, .infinity, -.infinity, nil,
                ]
                let marks = values.map { value in
                    let mark = context.insert("Mark")
                    mark["score"] = value
                    mark["small"] = value.map { Float($0) }
                    mark["money"] = Decimal(0)
                    mark["scores"] = value.map { [$0, 1] }
                    if let value { mark["place"] = ["latitude": value, "longitude": 1.0] }
                    return mark
                }
                for (place, mark) in marks.enumerated() { mark["next"] = marks[place / 2] }
                try context.save()
                var decided = 0
                for tree in Self.predicates {
                    var request = FetchRequest<ManagedObject>(entityName: "Mark")
                    request.predicate = tree
                    let expected = try marks.filter { try tree.evaluate(with: $0) }
                    #expect(Set(try context.fetch(request)) == Set(expected), "\(tree)")
                    if !expected.isEmpty, expected.count < marks.count { decided += 1 }
                }
                #expect(decided > 125 * Self.compared.count)
            }
        }
    }

    /// Without a server: an index on the Double serves all other integers.
    @Test func onlySuchIntegersAreComparedAsNumeric() throws {
        let model = try Self.model()
        let layouts = try StoreLayout(model: model, schema: StoreSchema(model), storeIdentifier: UUID())
        let layout = try #require(layouts.layout(named: "Mark"))
        for (format, isNumeric) in [
            ("score == 9007199254740993", true), ("score == 9007199254740992", false),
            ("score == 9007199254740994", false), ("score > -5", false), ("small IN {1, 2}", false),
            ("small IN {1, 9007199254740993}", true),
        ] {
            var request = FetchRequest<ManagedObject>(entityName: "Mark")
            request.predicate = .format(format)
            let condition = try RenderedFetch(request, layout: layout, layouts: layouts.entities).condition
            #expect(condition.contains("numeric") == isNumeric, "\(format): \(condition)")
        }
    }
}
