import Foundation
import Testing

@testable import HowdahModel

/// A small graph of plain values.
///
/// Unchecked, because operands hold subjects, which need not be Sendable; these are never changed after they were made.
struct Subject: PredicateSubject, @unchecked Sendable {
    var predicateIdentity: ObjectReference?
    var properties: [String: PredicateOperand] = [:]

    init(_ key: Int64?, _ properties: [String: PredicateOperand] = [:]) {
        predicateIdentity = key.map { ObjectReference(key: $0, entity: "E") }
        self.properties = properties
    }

    func predicateOperand(forKey key: String) -> PredicateOperand? { properties[key] }
}

@Suite struct EvaluatorTests {
    static let research = Subject(10, ["name": .value("Research"), "none": .value(.null)])
    static let full = Subject(
        1,
        [
            "n": .value(5), "nil": .value(.null), "s": .value("Ångström"), "d": .value(2.5),
            "b": .value(true),
            "price": .value(.decimal(Decimal(string: "0.1") ?? 0)), "nan": .value(.double(.nan)),
            "big": .value(.int(9_007_199_254_740_993)), "f": .value(.float(0.5)),
            "id": .value(.uuid(UUID(uuidString: "A0000000-0000-0000-0000-000000000001") ?? UUID())),
            "dept": .one(research), "noDept": .one(nil), "place": .one(Subject(nil, ["lat": .value(51.5)])),
            "empty": .many([]),
            "tags": .many([Subject(20, ["t": .value("x")]), Subject(21, ["t": .value(.null)])]),
            "kids": .many([
                Subject(
                    30, ["age": .value(3), "toys": .many([Subject(40, ["w": .value(1)])]), "dept": .one(nil)]),
                Subject(31, ["age": .value(7), "toys": .many([]), "dept": .one(research)]),
            ]),
        ])

    static let holding: [String] = [
        // nil against operators
        "nil == NULL", "nil != 5", "NOT nil == 5", "n != NULL", "NOT nil < 5", "NOT nil > 5",
        "NOT nil <= NULL",
        "NOT nil BETWEEN {1, 9}", "NOT nil IN {1, 2}", "nil IN {1, NULL}", "NOT nil CONTAINS 'a'",
        "NOT s CONTAINS nil",
        "NOT nil LIKE '*'", "NOT nil MATCHES '.*'", "NOT nil BEGINSWITH ''", "nil == noDept.name",
        "NOT noDept.name == 'x'",
        "noDept.name != 'x'", "noDept == NULL", "dept != NULL", "place != NULL", "place.lat > 51",
        // numbers
        "n == 5.0", "n < 5.5", "n > -1e300", "n < 1e300", "b == 1", "b == YES", "price == 0.1",
        "price < 0.11", "d BETWEEN {2, 3}",
        "NOT d BETWEEN {3, 2}", "f == 0.5", "nan == CAST('nan', 'Double')", "nan > 1e308", "NOT nan == 1",
        "n < nan",
        "big == 9007199254740993", "NOT big == 9007199254740992.0", "big > 9007199254740992.0",
        "NOT n == '5'",
        // strings
        "s BEGINSWITH 'Å'", "NOT s BEGINSWITH 'A'", "s BEGINSWITH[cd] 'ang'", "s ==[cd] 'ANGSTROM'",
        "s ==[d] 'Angstrom'",
        "NOT s ==[c] 'ANGSTROM'", "s ==[c] 'ÅNGSTRÖM'", "NOT s ==[cn] 'ÅNGSTRÖM'", "s ENDSWITH 'öm'",
        "s CONTAINS 'gst'",
        "s CONTAINS ''", "'st' IN s", "NOT 'ST' IN s", "'ST' IN[c] s", "s IN {'x', 'Ångström'}",
        "s IN[cd] {'angstrom'}",
        "s LIKE '*str?m'", "NOT s LIKE 'str*'", "s LIKE[cd] 'ANG*'", "s MATCHES '.*str.m'",
        "NOT s MATCHES 'str'",
        "s MATCHES[cd] 'A[M-O]gstrom'", "s > 'Z'", "id == 'a0000000-0000-0000-0000-000000000001'",
        "id != 'x'",
        // objects
        "SELF == CAST('1 E', 'ObjectID')", "SELF IN {CAST('1 E', 'ObjectID')}",
        "dept == CAST('10 E', 'ObjectID')",
        "NOT SELF == NULL", "tags CONTAINS CAST('20 E', 'ObjectID')", "CAST('21 E', 'ObjectID') IN tags",
        "dept IN {NULL, CAST('10 E', 'ObjectID')}",
        // quantifiers
        "NOT ANY empty.t == 'x'", "ALL empty.t == 'x'", "NONE empty.t == 'x'", "ANY tags.t == 'x'",
        "ANY tags.t == NULL",
        "NOT ALL tags.t == 'x'", "NOT NONE tags.t == 'x'", "ANY tags.t != 'x'", "ALL kids.age > 2",
        "NONE kids.age > 7",
        "ANY kids.toys.w == 1", "ALL kids.toys.w == 1", "ANY kids.dept.name == NULL",
        "ANY kids.age IN {7, 8}",
        "kids.@count == 2", "empty.@count == 0", "ANY kids.toys.@count == 0", "7 IN kids.age",
        "NOT 8 IN kids.age",
        "kids.age CONTAINS 3", "ANY kids == CAST('30 E', 'ObjectID')", "ANY n == 5",
        "noDept.kids.@count == NULL",
        // arithmetic
        "n + 1 == 6", "n - 7 == -2", "n * n == 25", "n / 2 == 2", "-(n) / 2 == -2", "n / 2.0 == 2.5",
        "n ** 2 == 25",
        "n + nil == NULL", "nil * 2 == NULL", "NOT nil + 1 > 0", "n / 0 == NULL", "d / 0 == NULL",
        "big * big == NULL", "9223372036854775807 + n == NULL", "-9223372036854775808 - 1 == NULL",
        "modulus:by:(n, 3) == 2", "modulus:by:(-(n), 3) == -2", "n & 4 == 4", "(n | 2) == 7", "(n ^ 1) == 4",
        "n << 2 == 20", "n >> 1 == 2", "~n == -6", "n << 64 == NULL", "b + 1 == 2",
        "price + 1 == 1.1", "price * price == CAST('0.01', 'NSDecimalNumber')", "price + f == 0.6",
        "price / 3 == CAST('0.03333333333333333333', 'NSDecimalNumber')",
        "d * 1e300 == NULL", "nan + 1 == NULL", "sqrt:(n + 4) == 3", "sqrt:(-(n)) == NULL",
        "ln:(exp:(d)) > 2.4",
        "log:(100) == 2", "floor:(d) == 2", "ceiling:(d) == 3", "trunc:(-(d)) == -2", "abs:(-(n)) == 5",
        "floor:(-(price)) == -1", "ceiling:(price) == 1",
        "n BETWEEN {n - 1, n + 1}", "n IN {n + 1, n}", "NOT n IN {n + 1, nil}",
        // texts and moments
        "uppercase:(s) == 'ÅNGSTRÖM'", "lowercase:(s) == 'ångström'", "canonical:(s) == 'angstrom'",
        "length:(s) == 8",
        "lowercase:('ΟΔΥΣΣΕΥΣ') == 'οδυσσευς'", "uppercase:(nil) == NULL", "length:('👩🏽‍🚀') == 4",
        "now() > CAST(700000000, 'NSDate')", "CAST(CAST(12.5, 'NSDate'), 'NSNumber') + 1 == 13.5",
        "CAST('12.5', 'NSNumber') == 12.5", "CAST(uppercase:('x'), 'NSNumber') == NULL",
        "CAST(n, 'NSString') == '5'",
        // conditions and aggregates
        "TERNARY(n > 3, 'a', 'b') == 'a'", "TERNARY(nil > 3, 1, 2) == 2",
        "TERNARY(n > 3, dept, noDept).name == 'Research'",
        "kids.@sum.age == 10", "kids.@max.age == 7", "kids.@min.age == 3", "kids.@avg.age == 5",
        "empty.@sum.age == 0",
        "empty.@max.age == NULL", "sum:(kids.age) == 10", "max:({n, 7, d}) == 7", "count:(kids) == 2",
        "min:(tags.t) == 'x'",
        "noDept.kids.@sum.age == NULL", "ANY kids.toys.@sum.w == 1",
        "ANY tags.@distinctUnionOfObjects.t == 'x'",
        // sub-queries and sets
        "SUBQUERY(kids, $k, $k.age > 5).@count == 1", "ANY SUBQUERY(kids, $k, $k.age > n).age == 7",
        "SUBQUERY(kids, $k, $k.dept != nil AND $k.age > n).@max.age == 7",
        "SUBQUERY(noDept.kids, $k, TRUEPREDICATE).@count == 0",
        "SUBQUERY(kids, $k, SUBQUERY($k.toys, $t, $t.w < $k.age).@count > 0).@count == 1",
        "SUBQUERY(kids.toys, $t, $t.w == 1).@count == 1", "(kids UNION tags).@count == 4",
        "(kids MINUS kids).@count == 0",
        "CAST('30 E', 'ObjectID') IN (kids INTERSECT kids)", "kids[0].age == 3", "kids[LAST].age == 7",
        "kids[9].age == NULL",
        "kids[SIZE] == 2", "kids[FIRST] == CAST('30 E', 'ObjectID')", "ANY kids.age > n",
        "'5' == CAST(n, 'NSString')",
        // logic
        "TRUEPREDICATE AND NOT FALSEPREDICATE", "n == 1 OR n == 5", "NOT (n == 5 AND n == 1)",
    ]

    @Test(arguments: holding) func predicateHolds(format: String) throws {
        let tree = try PredicateTree(format: format)
        #expect(try tree.evaluate(with: Self.full))
        #expect(try !PredicateTree.not(tree).evaluate(with: Self.full))
    }

    static let misuses: [(String, PredicateTreeError.Code)] = [
        ("missing == 1", .unknownKey), ("dept.missing == 1", .unknownKey),
        ("kids.age == 3", .invalidOperand), ("n.x == 1", .invalidOperand), ("n.@count == 1", .invalidOperand),
        ("n == $x", .unboundVariable), ("n IN {$x}", .unboundVariable), ("s MATCHES '(?=x)'", .unsupported),
        ("s + 1 == 2", .argumentType), ("uppercase:(n) == 'X'", .argumentType), ("d & 1 == 1", .argumentType),
        ("kids.age + 1 == 2", .invalidOperand), ("SUBQUERY(n, $x, $x == 1).@count == 1", .invalidOperand),
        ("n[0] == 1", .invalidOperand), ("sum:(tags.t) == 1", .argumentType),
        ("n UNION n == 1", .invalidOperand),
        ("kids.@sum.toys == 1", .argumentType), ("SUBQUERY(kids, $x, $y == 1).@count == 1", .unboundVariable),
        ("s <[l] 'x'", .unsupported), ("n == kids.age", .invalidOperand), ("n ==", .syntax),
    ]

    @Test(arguments: misuses) func misuseIsAnError(format: String, code: PredicateTreeError.Code) {
        #expect {
            try PredicateTree.format(format).evaluate(with: Self.full)
        } throws: {
            ($0 as? PredicateTreeError)?.code == code
        }
    }

    /// Looking members up in a set gives what comparing them one by one gives.
    @Test func longCollectionsAgreeWithShortOnes() throws {
        let lists: [[Value]] = [
            (0..<20).map { .int($0) }, (0..<20).map { .string("\($0)") }, (0..<20).map { .int($0) } + [.null],
            (0..<20).map { .reference(ObjectReference(key: $0, entity: "Other")) },
            (0..<20).map { .double(Double($0)) },
        ]
        let probes: [Value] = [
            .null, 5, 5.0, 50, "5", "x", true, .reference(ObjectReference(key: 5, entity: "E")),
        ]
        for list in lists {
            for probe in probes {
                let subject = Subject(1, ["v": .value(probe)])
                let long = try PredicateTree(comparison(.in, .collection(list), lhs: .keyPath(["v"])))
                    .evaluate(with: subject)
                let each = list.map { comparison(.equal, .constant($0), lhs: .keyPath(["v"])) }
                #expect(try PredicateTree(.any(each)).evaluate(with: subject) == long, "\(probe) in \(list)")
            }
        }
    }

    @Test func randomTreesObeyLogic() throws {
        let seed: UInt64 = 4
        var random = RandomPredicates(seed: seed)
        let keys = ["a", "in", "SELF", "größe", "b_2", "first", "NOT", "x", "cast"]
        var evaluated = 0
        for round in 0..<10_000 {
            var properties: [String: PredicateOperand] = [:]
            for key in keys { properties[key] = .value(random.value()) }
            let subject = Subject(1, properties)
            let (a, b) = (PredicateTree(random.node(depth: 2)), PredicateTree(random.node(depth: 2)))
            guard let first = try? a.evaluate(with: subject), let second = try? b.evaluate(with: subject)
            else { continue }
            evaluated += 1
            #expect(
                try PredicateTree.and([a, b]).evaluate(with: subject) == (first && second),
                "seed \(seed), \(round)")
            #expect(
                try PredicateTree.or([a, b]).evaluate(with: subject) == (first || second),
                "seed \(seed), \(round)")
            #expect(
                try PredicateTree.not(.and([a, b])).evaluate(with: subject)
                    == PredicateTree.or([.not(a), .not(b)]).evaluate(with: subject), "seed \(seed), \(round)")
        }
        #expect(evaluated > 20, "Too few random trees could be evaluated: \(evaluated)")
    }

    @Test func orderIsTotalAmongNumbers() {
        var random = RandomPredicates(seed: 11)
        var numbers: [Value] = [
            .double(.nan), .decimal(.nan), .double(.infinity), 0, -0.0, .int(.max), .int(.min), 0x1p63,
            -0x1p63,
        ]
        while numbers.count < 60 {
            switch random.value() {
            case let value where value.order(relativeTo: 0) != nil: numbers.append(value)
            default: continue
            }
        }
        for a in numbers {
            #expect(a.order(relativeTo: a) == .equal)
            for b in numbers {
                let mirrored: Value.Order? =
                    switch b.order(relativeTo: a) {
                    case .less: .greater
                    case .greater: .less
                    default: .equal
                    }
                #expect(a.order(relativeTo: b) == mirrored, "\(a) and \(b)")
            }
        }
    }
}
