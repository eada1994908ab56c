import Foundation
import Testing

@testable import HowdahModel

@Suite struct FormatErrorTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var format: String
        var arguments: [(any Sendable)?] = []
        var code: PredicateTreeError.Code
        var position: Int
        var token: String
        var names = ""
        var argument: Int?
        var testDescription: String { format }
    }

    static let syntax: [Row] = [
        Row(format: "", code: .syntax, position: 0, token: ""),
        Row(format: "a", code: .syntax, position: 1, token: "", names: "== TRUE"),
        Row(format: "a AND b == 1", code: .syntax, position: 2, token: "AND"),
        Row(format: "a == ", code: .syntax, position: 5, token: ""),
        Row(format: "a == b c", code: .syntax, position: 7, token: "c"),
        Row(format: "(a == 1", code: .syntax, position: 0, token: "(", names: "closed"),
        Row(format: "a == 1)", code: .syntax, position: 6, token: ")"),
        Row(format: "()", code: .syntax, position: 1, token: ")"),
        Row(format: "a == 'x", code: .syntax, position: 5, token: "'", names: "quote"),
        Row(format: "a MATCHES '\\d+'", code: .syntax, position: 11, token: "\\d", names: "backslash"),
        Row(format: "é == 1 AND ü ? 1", code: .syntax, position: 15, token: "?"),
        Row(format: "a ==[x] 1", code: .syntax, position: 5, token: "x", names: "[cd]"),
        Row(format: "a ==[c 1", code: .syntax, position: 7, token: "1"),
        Row(format: "a IN {1,}", code: .syntax, position: 8, token: "}"),
        Row(format: "a IN {1 2}", code: .syntax, position: 8, token: "2"),
        Row(format: "a IN (1, 2)", code: .syntax, position: 7, token: ",", names: "{a, b}"),
        Row(format: "a NOT IN {1}", code: .syntax, position: 2, token: "NOT", names: "NOT (a IN b)"),
        Row(format: "like == 1", code: .syntax, position: 0, token: "like", names: "#LIKE"),
        Row(format: "a. == 1", code: .syntax, position: 3, token: "=="),
        Row(format: "a == 12x", code: .syntax, position: 5, token: "12x"),
        Row(format: "a == 1e999", code: .syntax, position: 5, token: "1e999"),
        Row(format: "a == %%", code: .syntax, position: 5, token: "%%", names: "quotes"),
        Row(format: "a % 2 == 1", code: .unsupported, position: 2, token: "%", names: "modulus:by:"),
        Row(format: "a %2 == 1", code: .unsupported, position: 2, token: "%", names: "modulus:by:"),
        Row(format: "a == %1$@", code: .unsupported, position: 5, token: "%1", names: "Positions"),
        Row(format: "a == %5.2f", code: .unsupported, position: 5, token: "%5", names: "widths"),
        Row(format: "a == %'d", code: .unsupported, position: 5, token: "%'", names: "flags"),
        Row(format: "a == %s", code: .unsupported, position: 5, token: "%s"),
        Row(format: "a.@count.b == 1", code: .syntax, position: 9, token: "b"),
        Row(format: "ANY 1 == a", code: .invalidOperand, position: 6, token: "==", names: "ANY"),
        Row(
            format: "a BETWEEN 3", code: .invalidOperand, position: 2, token: "BETWEEN", names: "{low, high}"),
        Row(format: "a BETWEEN {1,2,3}", code: .invalidOperand, position: 2, token: "BETWEEN"),
        Row(format: "a == {1}", code: .invalidOperand, position: 2, token: "==", names: "IN"),
        Row(format: "a IN 3", code: .invalidOperand, position: 2, token: "IN", names: "{value}"),
        Row(format: "a IN {{1}}", code: .invalidOperand, position: 6, token: "{"),
    ]

    private static let constructs: [(String, Int, String, String)] = [
        ("FETCH(a, b, NO) == 1", 0, "FETCH", "Run the fetch"), ("ANYKEY == 1", 0, "ANYKEY", "OR"),
        ("a UTI-EQUALS 'x'", 2, "UTI", "UTI"), ("a := 1", 2, ":=", ":="),
        ("random() == a", 0, "random", "argument"), ("median:(a.b) == 1", 0, "median", "median:"),
        ("distanceToLocation:fromLocation:(a, b) < 1", 0, "distanceToLocation", "latitude"),
        ("shout:(a) == 1", 0, "shout", "uppercase:"), ("FUNCTION(a, 'shout') == 1", 12, "'shout'", "shout"),
        ("CAST(a, 'NSArray') == b", 8, "'NSArray'", "NSDate"), ("a[b] == 1", 2, "b", "FIRST"),
        ("a.@sumOfAll.b > 1", 2, "@sumOfAll", "@sum"),
        ("a == %1$@", 5, "%1", "Positions"), ("a == %.2f", 5, "%.", "precisions"), ("a == %s", 5, "%s", "%@"),
    ]

    /// Of operands with operands inside.
    static let inner: [Row] = [
        Row(format: "a + == 1", code: .syntax, position: 4, token: "==", names: "key path"),
        Row(format: "a + (b == 1", code: .syntax, position: 7, token: "==", names: "parenthesis"),
        Row(
            format: "sqrt:(a, b) == 1", code: .syntax, position: 0, token: "sqrt",
            names: "2 operands. Pass 1."),
        Row(format: "sqrt:(a == 1", code: .syntax, position: 8, token: "==", names: "no closing parenthesis"),
        Row(
            format: "SUBQUERY(a, x, $x == 1).@count > 0", code: .syntax, position: 12, token: "x",
            names: "variable"),
        Row(format: "SUBQUERY(a, $x, $x == 1.@count > 0", code: .syntax, position: 23, token: ".", names: ""),
        Row(
            format: "TERNARY(a == 1, 2) == 2", code: .syntax, position: 17, token: ")", names: "second value"),
        Row(format: "TERNARY(a, 2, 3) == 2", code: .syntax, position: 9, token: ",", names: "operator"),
        Row(format: "a.@sum == 1", code: .syntax, position: 2, token: "@sum", names: "@sum.salary"),
        Row(
            format: "a.@sum.b.@max.c == 1", code: .syntax, position: 14, token: "c", names: "another operator"
        ),
        Row(format: "a[-1] == 1", code: .unsupported, position: 2, token: "-", names: "LAST"),
        Row(format: "a[0 == 1", code: .syntax, position: 4, token: "==", names: "]"),
        Row(format: "@count == 1", code: .syntax, position: 0, token: "@count", names: "employees.@count"),
        Row(format: "5.a == 1", code: .syntax, position: 1, token: ".", names: "value"),
        Row(format: "ANY a + 1 == 2", code: .invalidOperand, position: 10, token: "==", names: "ANY"),
    ]

    static let unsupported: [Row] = constructs.map { row in
        Row(format: row.0, code: .unsupported, position: row.1, token: row.2, names: row.3)
    }

    static let arguments: [Row] = [
        Row(format: "a == %@", code: .argumentCount, position: 5, token: "%@", argument: 1),
        Row(
            format: "a == %@ AND b == %d", arguments: [1], code: .argumentCount, position: 17, token: "%d",
            argument: 2),
        Row(format: "a == %@", arguments: [1, 2], code: .argumentCount, position: 7, token: "", argument: 2),
        Row(format: "a == '%@'", arguments: [1], code: .argumentCount, position: 9, token: "", argument: 1),
        Row(
            format: "a == %d", arguments: ["x"], code: .argumentType, position: 5, token: "%d",
            names: "String", argument: 1),
        Row(
            format: "a == %d", arguments: [1.5], code: .argumentType, position: 5, token: "%d", names: "%f",
            argument: 1),
        Row(format: "a == %d", arguments: [nil], code: .argumentType, position: 5, token: "%d", argument: 1),
        Row(
            format: "a == %f", arguments: [Decimal(1)], code: .argumentType, position: 5, token: "%f",
            names: "%@", argument: 1),
        Row(
            format: "%K == 1", arguments: [1], code: .argumentType, position: 0, token: "%K", names: "%@",
            argument: 1),
        Row(format: "%K == 1", arguments: [""], code: .argumentType, position: 0, token: "%K", argument: 1),
        Row(
            format: "%K == 1", arguments: ["a b"], code: .argumentType, position: 0, token: "%K", argument: 1),
        Row(
            format: "%K == 1", arguments: ["a.@max"], code: .argumentType, position: 0, token: "%K",
            argument: 1),
        Row(
            format: "a == %@", arguments: [["k": 1]], code: .argumentType, position: 5, token: "%@",
            names: "Dictionary", argument: 1),
        Row(
            format: "a IN %@", arguments: [[[1]]], code: .argumentType, position: 5, token: "%@", argument: 1),
    ]

    @Test(arguments: syntax + unsupported + inner + arguments)
    func errorsNameTheirPlace(row: Row) {
        let error = PredicateTree.formatError(row.format, row.arguments)
        #expect(error?.code == row.code)
        #expect(error?.position == row.position)
        #expect(error?.token == row.token)
        #expect(error?.argument == row.argument)
        #expect(error?.message.contains(row.names) == true || row.names.isEmpty, "\(error?.message ?? "")")
    }

    @Test func descriptionCountsCharacters() {
        let error = PredicateTree.formatError("é == 1 AND ü ? 1", [])
        #expect(error?.description.contains("character 14, at \"?\"") == true)
        let secret = PredicateTree.formatError("a == %d", ["secret"])
        #expect(secret.map { !"\($0)".contains("secret") } == true)
    }

    @Test func limits() {
        let levels = PredicateTree.Limit.depth
        for (opening, closing) in [("(", ")"), ("NOT ", ""), ("(NOT ", ")"), ("!(", ")")] {
            func nested(_ count: Int) -> String {
                String(repeating: opening, count: count) + "a == 1" + String(repeating: closing, count: count)
            }
            let each = opening.contains("(") && opening.count > 1 ? 2 : 1
            #expect(PredicateTree.formatError(nested(levels / each), []) == nil)
            #expect(PredicateTree.formatError(nested(levels / each + 1), [])?.code == .tooLarge)
            #expect(PredicateTree.formatError(nested(200_000), [])?.code == .tooLarge)
        }
        let operands = ["(", "-(", "sqrt:(", "TERNARY(", "SUBQUERY(", "~ ", "a + (", "CAST("]
        for opening in operands {
            let open = String(repeating: opening, count: 300_000)
            #expect(PredicateTree.formatError("a == \(open)", [])?.code == .tooLarge, "\(opening)")
        }
        for chain in ["a + ", "a ** ", "a | ", "a UNION "] {
            let format = String(repeating: chain, count: 300_000) + "a == 1"
            #expect(PredicateTree.formatError(format, [])?.code == .tooLarge, "\(chain)")
        }
        let indexed = "a" + String(repeating: "[0]", count: 300_000)
        #expect(PredicateTree.formatError("\(indexed) == 1", [])?.code == .tooLarge)
        let sum = Array(repeating: "a", count: 200).joined(separator: " + ")
        #expect(PredicateTree.formatError("\(sum) == 1", []) == nil)
        let terms = PredicateTree.Limit.terms
        func flat(_ count: Int) -> String { Array(repeating: "a=1", count: count).joined(separator: " OR ") }
        #expect(PredicateTree.formatError(flat(terms), []) == nil)
        #expect(PredicateTree.formatError(flat(terms + 1), [])?.code == .tooLarge)
        let members = Array(0..<PredicateTree.Limit.members)
        #expect(PredicateTree.formatError("a IN %@", [members]) == nil)
        #expect(PredicateTree.formatError("a IN %@", [members + [1]])?.code == .tooLarge)
    }
}

extension PredicateTree {
    static func formatError(_ format: String, _ arguments: [(any Sendable)?]) -> PredicateTreeError? {
        do throws(PredicateTreeError) {
            _ = try PredicateTree(format: format, arguments: arguments)
            return nil
        } catch {
            return error
        }
    }
}
