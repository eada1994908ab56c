import Foundation
import Testing

@testable import HowdahModel

typealias Node = PredicateTree.Node
typealias Operand = PredicateTree.Expression

/// `a <op> 1`, the comparison most rows of the tables vary.
func comparison(
    _ op: PredicateTree.Operator, _ rhs: Operand = .constant(.int(1)), lhs: Operand = .keyPath(["a"]),
    options: PredicateTree.Options = [], modifier: PredicateTree.Modifier = .direct
) -> Node {
    .comparison(lhs: lhs, op: op, rhs: rhs, options: options, modifier: modifier)
}

@Suite struct FormatGrammarTests {
    private func expect(
        _ format: String, _ arguments: (any Sendable)?..., gives node: Node,
        location: SourceLocation = #_sourceLocation
    ) throws {
        let tree = try PredicateTree(format: format, arguments: arguments)
        #expect(tree.root == node, "\(format)", sourceLocation: location)
    }

    @Test func comparisonOperators() throws {
        let spellings: [(PredicateTree.Operator, [String])] = [
            (.equal, ["=", "=="]), (.notEqual, ["!=", "<>"]), (.lessThan, ["<"]),
            (.lessThanOrEqual, ["<=", "=<"]), (.greaterThan, [">"]), (.greaterThanOrEqual, [">=", "=>"]),
            (.contains, ["CONTAINS", "contains"]), (.beginsWith, ["BEGINSWITH", "BeginsWith"]),
            (.endsWith, ["ENDSWITH", "endswith"]), (.like, ["LIKE", "like"]),
            (.matches, ["MATCHES", "matches"]),
        ]
        for (op, words) in spellings {
            for word in words {
                try expect("a \(word) 'x'", gives: comparison(op, .constant("x")))
                try expect("'x' \(word)\n a", gives: comparison(op, .keyPath(["a"]), lhs: .constant("x")))
            }
        }
        try expect("a=-1", gives: comparison(.equal, .constant(.int(-1))))
        try expect("a BETWEEN {1, 2.5}", gives: comparison(.between, .collection([1, 2.5])))
        try expect("a between %@", [1, 2], gives: comparison(.between, .collection([1, 2])))
        try expect("a IN {}", gives: comparison(.in, .collection([])))
        try expect("a IN (%@)", ["x", "y"], gives: comparison(.in, .collection(["x", "y"])))
        try expect("%@ IN a.b", "x", gives: comparison(.in, .keyPath(["a", "b"]), lhs: .constant("x")))
        try expect("a IN 'text'", gives: comparison(.in, .constant("text")))
        try expect(
            "%@ CONTAINS a", [1, 2], gives: comparison(.contains, .keyPath(["a"]), lhs: .collection([1, 2])))
    }

    @Test func options() throws {
        let both: PredicateTree.Options = [.caseInsensitive, .diacriticInsensitive]
        try expect("a ==[c] 1", gives: comparison(.equal, options: .caseInsensitive))
        try expect("a contains [cd] 1", gives: comparison(.contains, options: both))
        try expect("a LIKE[DC] 1", gives: comparison(.like, options: both))
        try expect("a <[l] 1", gives: comparison(.lessThan, options: .localeSensitive))
        try expect("a IN[n] {1}", gives: comparison(.in, .collection([1]), options: .normalized))
    }

    @Test func compounds() throws {
        let one = comparison(.equal)
        try expect("a = 1 AND a = 1 && a = 1", gives: .and([one, one, one]))
        try expect("a = 1 or a = 1 || a = 1 AND a = 1", gives: .or([one, one, .and([one, one])]))
        try expect("(a = 1 OR a = 1) AND a = 1", gives: .and([.or([one, one]), one]))
        try expect("a = 1 AND (a = 1 AND a = 1)", gives: .and([one, one, one]))
        try expect(
            "NOT a = 1 AND ! (a = 1 OR NOT a = 1)", gives: .and([.not(one), .not(.or([one, .not(one)]))]))
        try expect("NOT(NOT a = 1)", gives: .not(.not(one)))
        try expect("(((a)) == ((1)))", gives: one)
        try expect("TRUEPREDICATE", gives: .constant(true))
        try expect("not FalsePredicate", gives: .not(.constant(false)))
    }

    @Test func quantifiers() throws {
        let words: [(String, PredicateTree.Modifier)] = [
            ("ANY", .any), ("some", .any), ("ALL", .all), ("None", .none),
        ]
        for (word, modifier) in words {
            let path = Operand.keyPath(["b", "c"])
            try expect("\(word) b.c == 1", gives: comparison(.equal, lhs: path, modifier: modifier))
            try expect(
                "NOT \(word) (b.c) == 1", gives: .not(comparison(.equal, lhs: path, modifier: modifier)))
        }
    }

    @Test func operands() throws {
        let date = Date(timeIntervalSinceReferenceDate: 1.0000004)
        let id = UUID()
        let reference = ObjectReference(key: 7, entity: "Department")
        let literals: [(String, Value)] = [
            ("'x\\'y\"'", "x'y\""), ("\"\\\\\\n\\t\\x41\\u00e9\"", "\\\n\tAé"), ("'%@ $a'", "%@ $a"),
            ("''", ""),
            ("12", 12), ("-12", -12), ("1.5", 1.5), (".5", 0.5), ("1e3", 1000.0), ("-1.5E-2", -0.015),
            ("0x1F", 31),
            ("0b101", 5), ("0o17", 15), ("9223372036854775807", .int(.max)),
            ("-9223372036854775808", .int(.min)),
            (
                "9223372036854775808",
                .decimal(Decimal(UInt64(1) << 63))
            ),
            ("TRUE", true), ("yes", true), ("False", false), ("NO", false), ("nil", .null), ("NULL", .null),
            ("CAST(1, 'NSDate')", .date(Date(timeIntervalSinceReferenceDate: 1))),
        ]
        for (text, value) in literals {
            try expect("a = \(text)", gives: comparison(.equal, .constant(value)))
        }
        let arguments: [((any Sendable)?, Value)] = [
            (1, 1), (UInt8(1), 1), (Int16(-1), -1), (UInt64.max, .decimal(Decimal(UInt64.max))), (1.5, 1.5),
            (Float(1.5), .float(1.5)), ("e\u{301}", "é"), ("xyz".dropFirst(), "yz"), (true, true),
            (date, .date(Date(timeIntervalSinceReferenceDate: 1))), (Data([1]), .data(Data([1]))),
            (id, .uuid(id)),
            (Decimal(2), .decimal(2)), (nil, .null), (Int?.none, .null), (Int??.some(nil), .null),
            (Int?.some(3), 3),
            (ComparisonResult.orderedSame, 0), (Suit.clubs, "clubs"),
            (ObjectID<Int>(storeIdentifier: id, entityName: "Department", key: 7), .reference(reference)),
        ]
        for (argument, value) in arguments {
            try expect("a = %@", argument, gives: comparison(.equal, .constant(value)))
        }
        try expect("SELF == %@", id, gives: comparison(.equal, .constant(.uuid(id)), lhs: .evaluatedObject))
        try expect("a IN %@", Set([id]), gives: comparison(.in, .collection([.uuid(id)])))
        try expect("a IN %@", [1, nil] as [Int?], gives: comparison(.in, .collection([1, .null])))
        try expect("a IN {$x, 1}", gives: comparison(.in, .aggregate([.variable("x"), .constant(1)])))
    }

    @Test func placeholders() throws {
        for specifier in ["%d", "%i", "%ld", "%lu", "%lld", "%llu", "%u", "%hhd", "%zd", "%x"] {
            try expect("a = \(specifier)", 5, gives: comparison(.equal, .constant(5)))
            try expect("a = \(specifier)", true, gives: comparison(.equal, .constant(1)))
        }
        for specifier in ["%f", "%lf", "%g", "%e", "%a", "%la"] {
            try expect("a = \(specifier)", 0.5, gives: comparison(.equal, .constant(0.5)))
            try expect("a = \(specifier)", 2, gives: comparison(.equal, .constant(2.0)))
        }
        try expect(
            "%K.%K.@count > 1", "x.y", "z",
            gives: comparison(
                .greaterThan, lhs: .keyPath(["x", "y", "z", "@count"])))
        try expect(
            "%K > 1", "self.x.@count", gives: comparison(.greaterThan, lhs: .keyPath(["x", "@count"])))
        try expect("%K = 1", "in", gives: comparison(.equal, lhs: .keyPath(["in"])))
    }

    @Test func keys() throws {
        let paths: [(String, Operand)] = [
            ("#in.#like", .keyPath(["in", "like"])), ("größe", .keyPath(["größe"])),
            ("a.first.size", .keyPath(["a", "first", "size"])),
            ("SELF.a", .keyPath(["a"])), ("#self", .keyPath(["self"])), ("self", .evaluatedObject),
            ("_x1", .keyPath(["_x1"])),
            ("$name", .variable("name")), ("a.in", .keyPath(["a", "in"])),
        ]
        for (text, operand) in paths { try expect("\(text) == 1", gives: comparison(.equal, lhs: operand)) }
    }

    @Test func computedOperands() throws {
        func f(_ function: PredicateTree.Function, _ operands: Operand...) -> Operand {
            .function(function, operands)
        }
        let (a, b, c) = (Operand.keyPath(["a"]), Operand.keyPath(["b"]), Operand.keyPath(["c"]))
        let x = Operand.variable("x")
        let one = comparison(.equal)
        let subquery = Operand.subquery(
            .keyPath(["a", "b"]), variable: "x", comparison(.equal, lhs: .path(x, ["c"])))
        let operands: [(String, Operand)] = [
            ("a + b * c", f(.add, a, f(.multiply, b, c))), ("a - b - c", f(.subtract, f(.subtract, a, b), c)),
            ("(a + b) * c", f(.multiply, f(.add, a, b), c)), ("((a) + ((b)))", f(.add, a, b)),
            ("a * (b / c)", f(.multiply, a, f(.divide, b, c))),
            ("a * b ** c", f(.multiply, a, f(.power, b, c))),
            ("-a", f(.negate, a)), ("-5", .constant(-5)), ("-(5)", f(.negate, .constant(5))),
            ("a - -5", f(.subtract, a, .constant(-5))), ("a -5", f(.subtract, a, .constant(5))),
            ("-(a) + ~b", f(.add, f(.negate, a), f(.onesComplement, b))),
            ("a & b | c ^ a", f(.bitwiseOr, f(.bitwiseAnd, a, b), f(.bitwiseXor, c, a))),
            ("a << 1 + b", f(.leftShift, a, f(.add, .constant(1), b))), ("a >> b", f(.rightShift, a, b)),
            ("sqrt:(a)", f(.squareRoot, a)), ("sqrt(a)", f(.squareRoot, a)), ("SQRT:(a)", f(.squareRoot, a)),
            ("modulus:by:(a, 2)", f(.modulus, a, .constant(2))), ("add:to:(a, b)", f(.add, a, b)),
            ("now()", f(.now)), ("sum:(a.b)", f(.sum, .keyPath(["a", "b"]))),
            ("max:({a, 1})", f(.max, .aggregate([a, .constant(1)]))), ("noindex:(a)", f(.noIndex, a)),
            ("FUNCTION(a, 'uppercaseString')", f(.uppercase, a)),
            ("FUNCTION(a, 'modulus:by:', 3)", f(.modulus, a, .constant(3))),
            ("CAST(a, 'NSDate')", .cast(a, .date)), ("castObject:toType:(a, 'NSNumber')", .cast(a, .number)),
            ("CAST(a - 1, 'NSDecimalNumber')", .cast(f(.subtract, a, .constant(1)), .decimal)),
            ("TERNARY(a == 1, b, c + 1)", .conditional(one, b, f(.add, c, .constant(1)))),
            (
                "TERNARY(a == 1 OR NOT (a == 1), b, NULL)",
                .conditional(.or([one, .not(one)]), b, .constant(.null))
            ),
            ("SUBQUERY(a.b, $x, $x.c == 1)", subquery),
            ("SUBQUERY(a.b, $x, $x.c == 1).@count", .path(subquery, ["@count"])),
            ("SUBQUERY(a.b, $x, $x.c == 1).@max.d.e", .path(subquery, ["@max", "d", "e"])),
            (
                "SUBQUERY(a.b, $x, ANY $x.c == 1 AND a == 1)",
                .subquery(
                    .keyPath(["a", "b"]), variable: "x",
                    .and([comparison(.equal, lhs: .path(x, ["c"]), modifier: .any), one]))
            ),
            ("a[0]", .element(a, .number(0))),
            ("a.b[FIRST].c", .path(.element(.keyPath(["a", "b"]), .first), ["c"])),
            ("a[last]", .element(a, .last)), ("a[SIZE]", .keyPath(["a", "@count"])),
            ("a.@sum.b.c", .keyPath(["a", "@sum", "b", "c"])),
            ("a UNION b MINUS c", .set(.minus, .set(.union, a, b), c)),
            ("(a INTERSECT b).@count", .path(.set(.intersect, a, b), ["@count"])), ("SELF.a", a),
        ]
        for (text, operand) in operands {
            try expect("\(text) == 1", gives: comparison(.equal, lhs: operand))
            try expect("1 == \(text)", gives: comparison(.equal, operand, lhs: .constant(1)))
            try expect(
                "NOT (a == 1 AND (\(text) == 1))", gives: .not(.and([one, comparison(.equal, lhs: operand)])))
            #expect(
                PredicateTree.format("\(operand) == 1").root == comparison(.equal, lhs: operand), "\(operand)"
            )
        }
        try expect("a IN {b, 1 + c}", gives: comparison(.in, .aggregate([b, f(.add, .constant(1), c)])))
        try expect(
            "a BETWEEN {b, %@}", 5, gives: comparison(.between, .aggregate([b, .constant(5)])))
        try expect(
            "a + %d > %@", 1, 2, gives: comparison(.greaterThan, .constant(2), lhs: f(.add, a, .constant(1))))
    }

    enum Suit: String { case clubs }

    @Test func variablesAreSubstituted() throws {
        let tree = try PredicateTree(format: "a == $x AND NOT b IN {1, $y} OR c BETWEEN $z")
        #expect(tree.variables == ["x", "y", "z"])
        let bound = try tree.withSubstitutionVariables(["x": nil, "y": 2, "z": [1, 2]])
        #expect(bound.description == "(a == NULL AND NOT b IN {1, 2}) OR c BETWEEN {1, 2}")
        #expect(bound.variables.isEmpty)
        #expect(try tree.withSubstitutionVariables(["x": 1]).variables == ["y", "z"])
        #expect { try tree.withSubstitutionVariables(["z": 1]) } throws: {
            ($0 as? PredicateTreeError)?.code == .invalidOperand
        }
    }

    @Test func variablesInOperandsAreSubstituted() throws {
        let tree = try PredicateTree(
            format: "SUBQUERY(a, $x, $x.b > $y AND $x IN {$z, $x}).@count + $x > CAST($y, 'NSDate')")
        #expect(tree.variables == ["x", "y", "z"])
        let bound = try tree.withSubstitutionVariables(["x": 1, "y": 2, "z": 3])
        #expect(
            bound.description
                == "SUBQUERY(a, $x, $x.b > 2 AND $x IN {3, $x}).@count + 1 > CAST(2.0, 'NSDate')")
        #expect(bound.variables.isEmpty)
        #expect(try PredicateTree(format: bound.description) == bound)
    }

    @Test func keyPathsBeginAtTheObject() throws {
        let tree = try PredicateTree(
            format:
                "SUBQUERY(a.b, $x, $x.c == d AND ANY SUBQUERY($x.e, $y, $y.f > 1).g == 2).@count > h[0].i + 1"
        )
        #expect(
            Set(tree.keyPaths.map { $0.joined(separator: ".") }) == [
                "a.b.@count", "a.b.c", "d", "a.b.e.f", "a.b.e.g", "h.i",
            ])
    }

    @Test func compositionCarriesErrorsAndLimits() throws {
        let wrong = PredicateTree.format("a ==")
        #expect(wrong.error?.code == .syntax)
        #expect(PredicateTree.and([.true, .not(wrong)]).error == wrong.error)
        #expect(throws: PredicateTreeError.self) { try JSONEncoder().encode(wrong) }
        var deep = PredicateTree.format("a == 1")
        for _ in 0..<PredicateTree.Limit.depth { deep = .not(deep) }
        #expect(deep.error == nil)
        #expect(try PredicateTree(format: deep.description) == deep)
        #expect(PredicateTree.not(deep).error?.code == .tooLarge)
        #expect(PredicateTree.and([]) == .true && PredicateTree.or([]) == .false)
        let many = Array(repeating: PredicateTree.format("a == 1"), count: PredicateTree.Limit.terms)
        #expect(PredicateTree.or(many).error == nil)
        #expect(PredicateTree.or(many + [.true]).error?.code == .tooLarge)
    }
}
