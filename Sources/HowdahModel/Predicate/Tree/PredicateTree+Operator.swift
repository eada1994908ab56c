extension PredicateTree {
    /// The relation between two operands; the raw value is how it is printed.
    ///
    /// Later versions may add cases: end a switch with `@unknown default`.
    public enum Operator: String, Hashable, Sendable, CaseIterable {
        /// Both sides are the same.
        case equal = "=="
        /// The sides differ.
        case notEqual = "!="
        /// The left side is less.
        case lessThan = "<"
        /// The left side is less or the same.
        case lessThanOrEqual = "<="
        /// The left side is greater.
        case greaterThan = ">"
        /// The left side is greater or the same.
        case greaterThanOrEqual = ">="
        /// The right side is a collection of the lowest and the highest value, both included.
        case between = "BETWEEN"
        /// The left side is a member of the right side, or a substring where that is a string.
        case `in` = "IN"
        /// The right side is a member of the left side, or a substring where that is a string.
        case contains = "CONTAINS"
        /// The left string begins with the right one.
        case beginsWith = "BEGINSWITH"
        /// The left string ends with the right one.
        case endsWith = "ENDSWITH"
        /// The whole string; `*` stands for any characters, `?` for one, `\` for the next character as it is.
        case like = "LIKE"
        /// The whole string matches a regular expression.
        case matches = "MATCHES"
    }

    /// The members of a to-many left side that must satisfy the comparison; the raw value is how it is printed.
    public enum Modifier: String, Hashable, Sendable, CaseIterable {
        /// There is no to-many relationship on the left side.
        case direct = ""
        /// At least one; false for none.
        case any = "ANY"
        /// Each; true for none.
        case all = "ALL"
        /// Not one; true for none.
        case none = "NONE"
    }

    /// How strings are compared; see `docs/predicates.md` for what is taken for the same.
    ///
    /// Source: Foundation's `NSComparisonPredicate.Options`.
    public struct Options: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt8

        /// Makes options of bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Upper and lower case are the same; `[c]`.
        public static let caseInsensitive = Options(rawValue: 1)
        /// Letters with and without marks are the same; `[d]`.
        public static let diacriticInsensitive = Options(rawValue: 2)
        /// The strings are compared as they are, whatever the attribute is and the other options say; `[n]`.
        public static let normalized = Options(rawValue: 4)
        /// `[l]`: in the order of the current locale.
        package static let localeSensitive = Options(rawValue: 8)

        /// What of a string is not looked at, without `[n]` and `[l]`.
        package var folding: Options {
            contains(.normalized) ? [] : intersection([.caseInsensitive, .diacriticInsensitive])
        }

        /// The options of a comparison by `op` with an attribute that is compared without regard to case.
        package func ofCaseInsensitive(_ op: Operator) -> Options {
            op == .matches || contains(.normalized) ? self : union(.caseInsensitive)
        }

        static let letters: [(UInt8, Options)] = [
            (UInt8(ascii: "c"), .caseInsensitive), (UInt8(ascii: "d"), .diacriticInsensitive),
            (UInt8(ascii: "n"), .normalized), (UInt8(ascii: "l"), .localeSensitive),
        ]
    }
}
