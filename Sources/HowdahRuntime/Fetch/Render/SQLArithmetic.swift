/// SQL for results equal to those in memory: NULL instead of a server error for a missing result.
///
/// A short operand that is used several times is written several times. A longer one is computed once in a
/// sub-query, which OFFSET prevents the planner from copying. So the text, and the work, grow with the
/// expression and not with its depth.
package enum SQLArithmetic {
    /// The range of integers. Quoted constants take the type of the other side: an operator of two types may
    /// be another role's.
    static let wholes = "'-9223372036854775808' AND '9223372036854775807'"
    private static let finite = "'-1.7976931348623157e308'::float8 AND '1.7976931348623157e308'::float8"

    /// The maximum length of a text that is written several times; a sub-query costs some microseconds for
    /// each row.
    private static let repeatedLength = 160

    /// Returns `body` over the operands, which are `x.a` and `x.b` in it.
    static func fenced(_ operands: [String], _ body: String) -> String {
        if operands.allSatisfy({ $0.utf8.count <= repeatedLength && !$0.contains("(SELECT") }) {
            var pieces = body.split(separator: "x.", omittingEmptySubsequences: false)
            var text = "(" + pieces.removeFirst()
            for piece in pieces {
                text += "(\(piece.first == "a" ? operands[0] : operands[1]))" + piece.dropFirst()
            }
            return text + ")"
        }
        let list = zip(operands, ["a", "b"]).map { "\($0) AS \($1)" }.joined(separator: ", ")
        return "(SELECT \(body) FROM (SELECT \(list) OFFSET 0) AS x)"
    }

    /// Returns the integer of a whole `numeric`.
    static func whole(_ numeric: String) -> String {
        fenced([numeric], "CASE WHEN x.a BETWEEN \(wholes) THEN x.a::int8 END")
    }

    /// Returns the Decimal of a `numeric` of any length.
    static func decimal(_ numeric: String) -> String {
        let digits =
            "pg_catalog.length(pg_catalog.ltrim(pg_catalog.translate(pg_catalog.trim_scale(x.a)::text, '-.', ''), '0'))"
        return fenced(
            [numeric],
            "CASE WHEN \(digits) <= 38 AND coalesce(pg_catalog.scale(pg_catalog.trim_scale(x.a)), 0) <= 127 THEN x.a END"
        )
    }

    /// Returns a quotient with 20 places, cut off.
    static func quotient(_ a: String, _ b: String) -> String {
        "pg_catalog.div(\(a) * 100000000000000000000, nullif(\(b), '0')) * 0.00000000000000000001"
    }

    static func sum(_ a: String, _ op: String, _ b: String) -> String {
        fenced(
            [a, b],
            "CASE WHEN pg_catalog.abs(x.a) <= '4e307' AND pg_catalog.abs(x.b) <= '4e307' THEN x.a \(op) x.b END"
        )
    }

    static func product(_ a: String, _ b: String) -> String {
        fenced([a, b], "CASE WHEN \(factor("x.a")) AND \(factor("x.b")) THEN x.a * x.b END")
    }

    static func doubleQuotient(_ a: String, _ b: String) -> String {
        fenced(
            [a, b],
            "CASE WHEN \(factor("x.a")) AND pg_catalog.abs(x.b) BETWEEN '1e-150' AND '1e150' THEN x.a / x.b END"
        )
    }

    private static func factor(_ place: String) -> String {
        "(\(place) = '0' OR pg_catalog.abs(\(place)) BETWEEN '1e-150' AND '1e150')"
    }

    static func power(_ a: String, _ b: String) -> String {
        fenced(
            [a, b],
            "CASE WHEN (x.a BETWEEN \(finite) AND x.b BETWEEN \(finite)) IS NOT TRUE THEN NULL WHEN x.b = '0' THEN 1::float8 "
                + "WHEN x.a = '0' THEN CASE WHEN x.b > '0' THEN 0::float8 END "
                + "WHEN x.a < '0' AND x.b <> pg_catalog.floor(x.b) THEN NULL "
                + "WHEN pg_catalog.abs(pg_catalog.ln(pg_catalog.abs(x.a))) <= '700' / greatest(pg_catalog.abs(x.b), 1) THEN pg_catalog.power(x.a, x.b) END"
        )
    }

    static func shift(_ a: String, _ op: String, _ b: String) -> String {
        fenced([a, b], "CASE WHEN x.b BETWEEN 0 AND 63 THEN x.a \(op) x.b::int4 END")
    }

    static func root(_ a: String) -> String {
        fenced(
            [a],
            "CASE WHEN x.a BETWEEN '0' AND '1.7976931348623157e308'::float8 THEN pg_catalog.sqrt(x.a) END")
    }

    static func logarithm(_ function: String, _ a: String) -> String {
        fenced(
            [a],
            "CASE WHEN x.a > '0' AND x.a <= '1.7976931348623157e308'::float8 THEN pg_catalog.\(function)(x.a) END"
        )
    }

    static func exponential(_ a: String) -> String {
        fenced([a], "CASE WHEN pg_catalog.abs(x.a) <= '700' THEN pg_catalog.exp(x.a) END")
    }

    /// The maximum depth of nested operands; the server's stack ends somewhat beyond.
    private static let depthLimit = 256

    /// Checks that a condition is within the depth that servers accept.
    ///
    /// - Throws: `FetchError.invalidRequest`.
    package static func checkDepth(of condition: String) throws {
        var open: [Bool] = []
        var (depth, deepest) = (0, 0)
        var quote: UInt8?
        let text = Array(condition.utf8)
        for (place, byte) in text.enumerated() {
            if let current = quote {
                if byte == current { quote = nil }
                continue
            }
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""): quote = byte
            case UInt8(ascii: "("):
                let isQuery = text[(place + 1)...].starts(with: "SELECT".utf8)
                open.append(isQuery)
                depth += isQuery ? 1 : 0
                deepest = max(deepest, depth)
            case UInt8(ascii: ")"): depth -= open.popLast() ?? false ? 1 : 0
            default: break
            }
        }
        // Each is a query with another one in FROM.
        guard deepest <= 2 * depthLimit else {
            throw FetchError(
                .invalidRequest,
                "The predicate nests more than \(depthLimit) operands in one expression. Compute a part of the "
                    + "expression in Swift, and pass the result as an argument."
            )
        }
    }
}
