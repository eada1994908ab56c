import Foundation
import Testing

@testable import HowdahModel

/// Trees as JSON.
@Suite struct PredicateCodingTests {
    private static func coded(_ tree: PredicateTree) throws -> PredicateTree {
        let data = try JSONEncoder().encode(["predicate": tree])
        return try #require(try JSONDecoder().decode([String: PredicateTree].self, from: data)["predicate"])
    }

    @Test func randomTreesDecodeToThemselves() throws {
        let seed: UInt64 = 311
        var random = RandomPredicates(seed: seed)
        for round in 0..<4_000 {
            let tree = PredicateTree(random.node(depth: Int.random(in: 0...6, using: &random.generator)))
            try #require(try Self.coded(tree) == tree, "seed \(seed), round \(round): \(tree)")
        }
    }

    /// One of each, and each value that no literal of the grammar has.
    @Test func everyKindOfNodeAndValueDecodesToItself() throws {
        let path = PredicateTree.Expression.keyPath(["a", "b"])
        let test = Node.comparison(lhs: path, op: .equal, rhs: .constant(1))
        var operands: [PredicateTree.Expression] = [
            path, .evaluatedObject, .variable("v"), .collection([.int(1), .null, .string("x")]),
            .collection([]),
            .aggregate([path, .constant(2)]), .cast(path, .string),
            .conditional(test, path, .constant(.null)),
            .path(.variable("v"), ["c"]), .subquery(path, variable: "x", test), .element(path, .first),
            .element(path, .last), .element(path, .number(7)), .keyPath(["a", "@count"]),
        ]
        operands += PredicateTree.Function.allCases.map {
            .function($0, Array(repeating: path, count: $0.arity))
        }
        operands += PredicateTree.Cast.allCases.map { .cast(path, $0) }
        operands += PredicateTree.SetOperator.allCases.map { .set($0, path, .keyPath(["c"])) }
        operands += PredicateTree.KeyPathOperator.allCases.map {
            .keyPath(["a", $0.rawValue] + ($0 == .count ? [] : ["b"]))
        }
        let values: [Value] = [
            .null, .bool(true), .int(.min), .double(.nan), .double(.infinity), .double(-0.0),
            .double(.leastNonzeroMagnitude),
            .float(.nan), .float(-.infinity), .float(0.1), .decimal(.greatestFiniteMagnitude),
            .decimal(Decimal(string: "-0.00000000000000000000000000000000000001") ?? 0), .string(""),
            .string("a\u{0}\"\\/é🐘\n\u{2028}'"), .date(.distantPast), .date(.distantFuture),
            .date(Date(timeIntervalSinceReferenceDate: 0.000001)), .data(Data()), .data(Data([0, 255])),
            .uuid(UUID()), .reference(ObjectReference(key: -1, entity: "A \"b'")), .array([]),
            .array([.string("a"), .null, .string("',}")]), .array([.int(1)]), .array([.double(.infinity)]),
        ]
        operands += values.map(PredicateTree.Expression.constant)
        var nodes: [Node] = operands.map { operand in
            switch operand {
            case .collection, .aggregate:
                .comparison(lhs: .keyPath(["k"]), op: .in, rhs: operand)
            default: .comparison(lhs: .keyPath(["k"]), op: .equal, rhs: operand)
            }
        }
        nodes += operands.compactMap { operand in
            switch operand {
            case .collection, .aggregate: nil
            default: .comparison(lhs: operand, op: .lessThan, rhs: .keyPath(["k"]))
            }
        }
        nodes += PredicateTree.Operator.allCases.map { op in
            let isCollection = op == .in || op == .between
            return .comparison(
                lhs: path, op: op,
                rhs: isCollection ? .collection([.string("a"), .string("b")]) : .constant(.string("a")))
        }
        nodes += PredicateTree.Modifier.allCases.map {
            .comparison(lhs: path, op: .equal, rhs: .constant(1), modifier: $0)
        }
        nodes += (UInt8(0)...15).map {
            .comparison(lhs: path, op: .equal, rhs: .constant(1), options: .init(rawValue: $0))
        }
        nodes += [
            .constant(true), .constant(false), .not(test), .and([test, .not(test)]), .or([test, test]),
        ]
        for node in nodes {
            let tree = PredicateTree(node)
            let back = try Self.coded(tree)
            #expect(back == tree || tree.description.contains("nan"), "\(tree) became \(back)")
            #expect(back.description == tree.description)
        }
        #expect(nodes.count > 120)
    }

    @Test func hostileJSONIsAClearError() throws {
        let deep = String(repeating: "NOT (", count: 5_000) + "a == 1" + String(repeating: ")", count: 5_000)
        let wide = Array(repeating: "a == 1", count: 20_000).joined(separator: " OR ")
        let cases: [(String, PredicateTreeError.Code?)] = [
            (#""a ~~ 1""#, .syntax), (#""a RESEMBLES 'x'""#, .syntax), (#""explode:(a) == 1""#, .unsupported),
            (#""""#, .syntax), (#""a == %@""#, .argumentCount), (#""a == %K""#, .argumentCount),
            (#""a == 1; DROP TABLE x""#, .syntax), (#""CAST('x', 'NSObject') == a""#, .unsupported),
            (#""a IN {{1}}""#, .invalidOperand), (#""a.@everything.b == 1""#, .unsupported),
            (#""a == \u0000""#, .syntax), ("\"\(deep)\"", .tooLarge), ("\"\(wide)\"", .tooLarge),
            ("\"a == \(String(repeating: "(", count: 300_000))\"", .tooLarge),
            ("1", nil), ("null", nil), ("{}", nil), (#"["a == 1"]"#, nil), (#"{"root": {"and": []}}"#, nil),
        ]
        for (json, code) in cases {
            let data = Data("[\(json)]".utf8)
            let error = #expect(throws: DecodingError.self, "\(json.prefix(60))") {
                try JSONDecoder().decode([PredicateTree].self, from: data)
            }
            guard let code else { continue }
            guard case .dataCorrupted(let context)? = error else {
                Issue.record("\(json.prefix(60)): another error")
                continue
            }
            #expect((context.underlyingError as? PredicateTreeError)?.code == code, "\(json.prefix(60))")
            #expect(!context.debugDescription.isEmpty)
        }
    }

    @Test func aTreeThatCarriesAnErrorIsNotWritten() {
        #expect(throws: PredicateTreeError.self) { try JSONEncoder().encode([PredicateTree.format("a ==")]) }
    }
}
