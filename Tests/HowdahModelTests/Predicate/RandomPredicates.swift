import Foundation
import SeededRandom

@testable import HowdahModel

/// Random well-formed trees over all operators, operands and value types.
struct RandomPredicates {
    var generator: SeededGenerator

    static let hostile = [
        "' OR 1=1 --", "\\", "\\'", "') OR ('1'='1", "%@", "%K", "%", "$x", "\" OR \"\"=\"", "{1}", "a == 1",
        "NULL", "TRUEPREDICATE", "\u{0}\u{1}\u{7F}", "\r\n\t", "é", "e\u{301}", "ﬀ", "👩‍👩‍👧", "\u{202E}", "''",
        "*?_%",
        "SUBQUERY(a,$b,1)", "] [c]", "#in", "; DROP TABLE x; --", "\u{FFFF}", "İıßς",
    ]

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func pick<T>(_ choices: [T]) -> T {
        choices[Int.random(in: 0..<choices.count, using: &generator)]
    }

    mutating func string() -> String { pick(Self.hostile) + pick(Self.hostile + [""]) }

    mutating func value() -> Value {
        switch Int.random(in: 0..<13, using: &generator) {
        case 0: .null
        case 1: .bool(.random(using: &generator))
        case 2: .int(pick([0, 1, -1, .max, .min, .random(in: -1000...1000, using: &generator)]))
        case 3: .double(pick([0, -0.5, 1e300, -1e-300, .infinity, -.infinity, 0.1]))
        case 4: .double(Double.random(in: -1e6...1e6, using: &generator))
        case 5: .float(pick([0, 0.1, -1e30, .infinity, .leastNonzeroMagnitude]))
        case 6: .decimal(Decimal(Int64.random(in: .min ... .max, using: &generator)) / pick([1, 1000, 3]))
        case 7:
            Value.date(Date(timeIntervalSinceReferenceDate: .random(in: -1e11...1e11, using: &generator)))
                .normalized
        case 8:
            .data(Data((0..<Int.random(in: 0..<20, using: &generator)).map { _ in pick([0, 39, 92, 255]) }))
        case 9: .uuid(pick([UUID(uuidString: "00000000-0000-0000-0000-0000000000FF") ?? UUID()]))
        case 10: .uri(URL(fileURLWithPath: "/a b/'\(Int.random(in: 0..<9, using: &generator))"))
        case 11:
            .reference(
                ObjectReference(key: .random(in: -5...5, using: &generator), entity: pick(["A b", "Ö'x"])))
        default: Value.string(string()).normalized
        }
    }

    mutating func keyPath() -> [String] {
        let keys = ["a", "in", "SELF", "größe", "b_2", "first", "NOT", "x", "cast"]
        let path = (0..<Int.random(in: 1...3, using: &generator)).map { _ in pick(keys) }
        return Bool.random(using: &generator) ? path : path + ["@count"]
    }

    /// An operand that is computed of others, in the form that the parser gives it.
    mutating func computed(depth: Int) -> Operand {
        let inner: (inout RandomPredicates) -> Operand = { random in
            depth > 0 && Bool.random(using: &random.generator)
                ? random.computed(depth: depth - 1)
                : random.pick([
                    .keyPath(["a"]), .keyPath(["in", "größe"]), .constant(random.value()), .variable("v"),
                    .evaluatedObject,
                ])
        }
        func base(_ random: inout RandomPredicates) -> Operand {
            random.pick([
                .keyPath(["a", "x"]), .variable("v"),
                .element(.keyPath(["b"]), random.pick([.first, .last, .number(3)])),
                .subquery(
                    inner(&random), variable: "x",
                    random.node(depth: max(0, depth - 1), operands: max(0, depth - 1))),
                .set(random.pick(PredicateTree.SetOperator.allCases), inner(&random), inner(&random)),
            ])
        }
        switch Int.random(in: 0..<8, using: &generator) {
        case 0, 1, 2:
            let function = pick(PredicateTree.Function.allCases)
            return .function(function, (0..<function.arity).map { _ in inner(&self) })
        case 3:
            // A literal would be another literal at once.
            return .cast(.function(.noIndex, [inner(&self)]), pick(PredicateTree.Cast.allCases))
        case 4: return .conditional(node(depth: 1, operands: max(0, depth - 1)), inner(&self), inner(&self))
        case 5:
            return .joined(
                base(&self),
                pick([["c"], ["@count"], ["d", "@sum", "e"], ["@distinctUnionOfObjects", "in"]]))
        case 6: return .element(base(&self), pick([.first, .last, .number(0), .number(12)]))
        default: return base(&self)
        }
    }

    mutating func comparison(operands: Int = 2) -> Node {
        let options = PredicateTree.Options(rawValue: .random(in: 0...15, using: &generator))
        let op = pick(PredicateTree.Operator.allCases)
        let modifier = pick(PredicateTree.Modifier.allCases)
        let values = (0..<Int.random(in: 0...4, using: &generator)).map { _ in value() }
        let inner = operands > 0 && Int.random(in: 0..<3, using: &generator) == 0
        let lhs: Operand =
            modifier != .direct
            ? .keyPath(keyPath())
            : inner
                ? computed(depth: operands - 1)
                : pick([.keyPath(keyPath()), .evaluatedObject, .constant(value()), .variable("v")])
        let rhs: Operand
        switch op {
        case .between:
            rhs =
                inner
                ? .aggregate([computed(depth: 0), .constant(value())]) : .collection([value(), value()])
        case .in:
            rhs = pick([
                .collection(values), .keyPath(keyPath()), .aggregate([.constant(value()), .variable("w")]),
            ])
        default:
            rhs =
                inner
                ? computed(depth: operands - 1)
                : pick([.keyPath(keyPath()), .constant(value()), .variable("v"), .evaluatedObject])
        }
        return .comparison(lhs: lhs, op: op, rhs: rhs, options: options, modifier: modifier)
    }

    mutating func node(depth: Int, operands: Int = 2) -> Node {
        guard depth > 0 else {
            return Int.random(in: 0..<8, using: &generator) == 0
                ? .constant(.random(using: &generator)) : comparison(operands: operands)
        }
        let members = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
            node(depth: Int.random(in: 0..<depth, using: &generator), operands: operands)
        }
        return pick([.all(members), .any(members), .not(members[0])])
    }
}
