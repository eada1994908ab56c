extension PredicateTree {
    /// What is computed of operands; the raw value is the name in a format.
    package enum Function: String, Hashable, Sendable, CaseIterable {
        case add = "add:to:"
        case subtract = "from:subtract:"
        case multiply = "multiply:by:"
        case divide = "divide:by:"
        case modulus = "modulus:by:"
        case power = "raise:toPower:"
        case negate = "negate:"
        case bitwiseAnd = "bitwiseAnd:with:"
        case bitwiseOr = "bitwiseOr:with:"
        case bitwiseXor = "bitwiseXor:with:"
        case leftShift = "leftshift:by:"
        case rightShift = "rightshift:by:"
        case onesComplement = "onesComplement:"
        case squareRoot = "sqrt:"
        case naturalLogarithm = "ln:"
        case logarithm = "log:"
        case exponential = "exp:"
        case floor = "floor:"
        case ceiling = "ceiling:"
        case absolute = "abs:"
        case truncate = "trunc:"
        case uppercase = "uppercase:"
        case lowercase = "lowercase:"
        case canonical = "canonical:"
        case length = "length:"
        case now = "now"
        /// Apple's request not to use an index; the operand as it is.
        case noIndex = "noindex:"
        case sum = "sum:"
        case count = "count:"
        case min = "min:"
        case max = "max:"
        case average = "average:"

        /// How many operands it takes.
        package var arity: Int {
            self == .now ? 0 : Swift.max(1, rawValue.utf8.count { $0 == UInt8(ascii: ":") })
        }

        /// Whether it makes one value of the members of a collection.
        package var isAggregate: Bool {
            switch self {
            case .sum, .count, .min, .max, .average: true
            default: false
            }
        }

        /// The operator it is written with between two operands, or before one.
        package var symbol: String? {
            switch self {
            case .add: "+"
            case .subtract, .negate: "-"
            case .multiply: "*"
            case .divide: "/"
            case .power: "**"
            case .bitwiseAnd: "&"
            case .bitwiseOr: "|"
            case .bitwiseXor: "^"
            case .leftShift: "<<"
            case .rightShift: ">>"
            case .onesComplement: "~"
            default: nil
            }
        }

        /// The function of an operator between two operands, and how tightly it binds.
        static let infix: [String: (function: Function, precedence: Int)] = [
            "|": (.bitwiseOr, 2), "^": (.bitwiseXor, 3), "&": (.bitwiseAnd, 4), "<<": (.leftShift, 5),
            ">>": (.rightShift, 5), "+": (.add, 6), "-": (.subtract, 6), "*": (.multiply, 7),
            "/": (.divide, 7), "**": (.power, 8),
        ]

        /// The function of a name in a format, where case does not matter.
        package init?(name: String) {
            let name = name.lowercased()
            let found = Self.allCases.first {
                $0.rawValue.lowercased() == name || $0.rawValue.lowercased() == name + ":"
            }
            guard let found, found.arity < 2 || name.hasSuffix(":") else { return nil }
            self = found
        }
    }

    /// The members of two collections that count; the raw value is how it is printed.
    public enum SetOperator: String, Hashable, Sendable, CaseIterable {
        /// In one of them.
        case union = "UNION"
        /// In both.
        case intersect = "INTERSECT"
        /// In the first and not in the second.
        case minus = "MINUS"
    }

    /// The place of a member of an ordered collection.
    public enum Position: Hashable, Sendable {
        /// The first member.
        case first
        /// The last member.
        case last
        /// Counted from 0.
        case number(Int)
    }

    /// What a value is made into; the raw value is the name in a format.
    package enum Cast: String, Hashable, Sendable, CaseIterable {
        /// A Double; of a date the seconds since 2001.
        case number = "NSNumber"
        case decimal = "NSDecimalNumber"
        /// The moment that many seconds after the beginning of 2001.
        case date = "NSDate"
        case string = "NSString"
    }

    /// What a component of a key path that begins with `@` asks of the members before it.
    package enum KeyPathOperator: String, Hashable, Sendable, CaseIterable {
        case count = "@count"
        case sum = "@sum"
        case min = "@min"
        case max = "@max"
        case average = "@avg"
        /// The values of all members, as the key path without it.
        case all = "@unionOfObjects"
        /// The values of all members, each once.
        case distinct = "@distinctUnionOfObjects"

        package var function: Function? {
            switch self {
            case .count: .count
            case .sum: .sum
            case .min: .min
            case .max: .max
            case .average: .average
            case .all, .distinct: nil
            }
        }
    }
}
