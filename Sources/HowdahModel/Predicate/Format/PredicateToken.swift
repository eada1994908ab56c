/// One token of a predicate format.
struct PredicateToken: Equatable {
    enum Kind: Equatable {
        /// A keyword or a key, as written.
        case word(String)
        /// `#word`: always a key.
        case escapedWord(String)
        /// `@word`: a key path operator.
        case atWord(String)
        /// `$word`
        case variable(String)
        /// A quoted string without its quotes and escapes.
        case string(String)
        /// A number as written, without a sign.
        case number(String)
        /// `%@`
        case objectPlaceholder
        /// `%K`
        case keyPlaceholder
        /// `%d` and its relatives.
        case integerPlaceholder
        /// `%f` and its relatives.
        case floatPlaceholder
        /// Punctuation and operators.
        case symbol(String)
        case end
    }

    var kind: Kind
    /// The token's bytes in the format.
    var range: Range<Int>

    func isSymbol(_ text: String) -> Bool { kind == .symbol(text) }

    /// The upper-cased text of a word that was not escaped.
    var keyword: String? {
        if case .word(let word) = kind { word.uppercased() } else { nil }
    }
}

/// The reserved words of a predicate format.
enum PredicateKeyword {
    /// The reserved names: a key of such a name is written with `#` before it.
    ///
    /// Apple reserves FIRST, LAST, SIZE, CI and CASEINSENSITIVE too; here their position distinguishes them.
    static let reserved: Set<String> = [
        "AND", "OR", "IN", "NOT", "ALL", "ANY", "SOME", "NONE", "LIKE", "MATCHES", "CONTAINS", "BEGINSWITH",
        "ENDSWITH", "BETWEEN", "NULL", "NIL", "SELF", "TRUE", "YES", "FALSE", "NO", "ANYKEY", "SUBQUERY",
        "FETCH",
        "CAST", "TRUEPREDICATE", "FALSEPREDICATE", "UNION", "INTERSECT", "MINUS",
    ]

    static let modifiers: [String: PredicateTree.Modifier] = [
        "ANY": .any, "SOME": .any, "ALL": .all, "NONE": .none,
    ]

    static let literals: [String: Value] = [
        "NULL": .null, "NIL": .null, "TRUE": .bool(true), "YES": .bool(true), "FALSE": .bool(false),
        "NO": .bool(false),
    ]

    static let operators: [String: PredicateTree.Operator] = [
        "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .lessThan, "<=": .lessThanOrEqual,
        "=<": .lessThanOrEqual, ">": .greaterThan, ">=": .greaterThanOrEqual, "=>": .greaterThanOrEqual,
        "BETWEEN": .between, "IN": .in, "CONTAINS": .contains, "BEGINSWITH": .beginsWith,
        "ENDSWITH": .endsWith, "LIKE": .like, "MATCHES": .matches,
    ]

    /// Unsupported symbols of Apple's grammar, and their names.
    static let unsupported: [String: String] = [":=": "Assignment (:=)"]

    /// Unsupported functions of Apple's grammar, and their replacements.
    static let unsupportedFunctions: [String: String] = [
        "random": "Pass a random number as an argument.", "randomn:": "Pass a random number as an argument.",
        "random:": "Pass a random number as an argument.",
        "median:": "Fetch the values and compute the median, or compare with average:().",
        "mode:": "Fetch the values and compute the mode.",
        "stddev:": "Fetch the values and compute the deviation.",
        "distanceToLocation:fromLocation:": "Compare latitude and longitude with a range each.",
    ]
}
