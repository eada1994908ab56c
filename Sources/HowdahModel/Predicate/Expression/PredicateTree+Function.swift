extension PredicateTree {
    /// A function of operands; the raw value is its name in a format.
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
        /// Apple's request not to use an index; returns the operand unchanged.
        case noIndex = "noindex:"
        case sum = "sum:"
        case count = "count:"
        case min = "min:"
        case max = "max:"
        case average = "average:"

        /// The number of operands.
        package var arity: Int {
            self == .now ? 0 : Swift.max(1, rawValue.utf8.count { $0 == UInt8(ascii: ":") })
        }

        /// A Boolean value that indicates whether it reduces the members of a collection to one value.
        package var isAggregate: Bool {
            switch self {
            case .sum, .count, .min, .max, .average: true
            default: false
            }
        }

        /// The operator that it is written with, between two operands or before one; nil if it has none.
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

        /// The functions of the operators between two operands, each with its precedence.
        static let infix: [String: (function: Function, precedence: Int)] = [
            "|": (.bitwiseOr, 2), "^": (.bitwiseXor, 3), "&": (.bitwiseAnd, 4), "<<": (.leftShift, 5),
            ">>": (.rightShift, 5), "+": (.add, 6), "-": (.subtract, 6), "*": (.multiply, 7),
            "/": (.divide, 7), "**": (.power, 8),
        ]

        /// Creates the function of a name in a format, ignoring case.
        package init?(name: String) {
            let name = name.lowercased()
            let found = Self.allCases.first {
                $0.rawValue.lowercased() == name || $0.rawValue.lowercased() == name + ":"
            }
            guard let found, found.arity < 2 || name.hasSuffix(":") else { return nil }
            self = found
        }
    }

    /// An operation on the members of two collections; the raw value is its printed form.
    public enum SetOperator: String, Hashable, Sendable, CaseIterable {
        /// The members of either collection.
        case union = "UNION"
        /// The members of both collections.
        case intersect = "INTERSECT"
        /// The members of the first collection that are not in the second.
        case minus = "MINUS"
    }

    /// The position of a member of an ordered collection.
    public enum Position: Hashable, Sendable {
        /// The first member.
        case first
        /// The last member.
        case last
        /// The member with this number, counted from 0.
        case number(Int)
    }

    /// The type that a value is converted to; the raw value is the name in a format.
    package enum Cast: String, Hashable, Sendable, CaseIterable {
        /// A Double; for a date the seconds since 2001.
        case number = "NSNumber"
        case decimal = "NSDecimalNumber"
        /// A date, from the seconds since the beginning of 2001.
        case date = "NSDate"
        case string = "NSString"
    }

    /// A component of a key path that begins with `@`: an operation on the members before it.
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
