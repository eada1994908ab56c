extension PredicateTree {
    /// The relation between two operands; the raw value is its printed form.
    ///
    /// Later versions may add cases: end a switch with `@unknown default`.
    public enum Operator: String, Hashable, Sendable, CaseIterable {
        /// Both sides are equal.
        case equal = "=="
        /// The sides differ.
        case notEqual = "!="
        /// The left side is less.
        case lessThan = "<"
        /// The left side is less or equal.
        case lessThanOrEqual = "<="
        /// The left side is greater.
        case greaterThan = ">"
        /// The left side is greater or equal.
        case greaterThanOrEqual = ">="
        /// The right side is a collection of the lowest and the highest value, both included.
        case between = "BETWEEN"
        /// The left side is a member of the right side, or a substring if that is a string.
        case `in` = "IN"
        /// The right side is a member of the left side, or a substring if that is a string.
        case contains = "CONTAINS"
        /// The left string begins with the right one.
        case beginsWith = "BEGINSWITH"
        /// The left string ends with the right one.
        case endsWith = "ENDSWITH"
        /// The whole string matches; `*` stands for any characters, `?` for one, `\` for the next character
        /// itself.
        case like = "LIKE"
        /// The whole string matches a regular expression.
        case matches = "MATCHES"
    }

    /// The members of a to-many left side that must satisfy the comparison; the raw value is its printed
    /// form.
    public enum Modifier: String, Hashable, Sendable, CaseIterable {
        /// The left side has no to-many relationship.
        case direct = ""
        /// At least one; false if there are none.
        case any = "ANY"
        /// Each; true if there are none.
        case all = "ALL"
        /// Not one; true if there are none.
        case none = "NONE"
    }

    /// The options of a comparison of strings; `docs/predicates.md` lists the characters that they treat as
    /// equal.
    ///
    /// Source: Foundation's `NSComparisonPredicate.Options`.
    public struct Options: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt8

        /// Creates options from bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Ignores upper and lower case; `[c]`.
        public static let caseInsensitive = Options(rawValue: 1)
        /// Ignores diacritical marks; `[d]`.
        public static let diacriticInsensitive = Options(rawValue: 2)
        /// Compares the strings unchanged, for any attribute and with any other options; `[n]`.
        public static let normalized = Options(rawValue: 4)
        /// Compares in the order of the current locale; `[l]`.
        package static let localeSensitive = Options(rawValue: 8)

        /// The differences that are ignored, without `[n]` and `[l]`.
        package var folding: Options {
            contains(.normalized) ? [] : intersection([.caseInsensitive, .diacriticInsensitive])
        }

        /// Returns the options of a comparison by `op` with a case-insensitive attribute.
        package func ofCaseInsensitive(_ op: Operator) -> Options {
            op == .matches || contains(.normalized) ? self : union(.caseInsensitive)
        }

        static let letters: [(UInt8, Options)] = [
            (UInt8(ascii: "c"), .caseInsensitive), (UInt8(ascii: "d"), .diacriticInsensitive),
            (UInt8(ascii: "n"), .normalized), (UInt8(ascii: "l"), .localeSensitive),
        ]
    }
}
