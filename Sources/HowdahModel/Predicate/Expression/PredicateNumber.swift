internal import Foundation

/// A number for functions: Booleans are 0 and 1, Floats are Doubles.
enum PredicateNumber {
    case int(Int64)
    case decimal(Decimal)
    case double(Double)

    /// The bounds for Doubles of a sum, and for operands of a product or quotient. No result can leave them.
    static let summandLimit = 1e290
    static let additionLimit = 4e307
    static let factorLimits = 1e-150...1e150

    init?(_ value: Value) {
        switch value {
        case .bool(let flag): self = .int(flag ? 1 : 0)
        case .int(let integer): self = .int(integer)
        case .decimal(let decimal): self = .decimal(decimal)
        case .float(let float): self = .double(Double(float))
        case .double(let double): self = .double(double)
        default: return nil
        }
    }

    /// The rank that decides the type of a computation: Doubles before Decimals before integers.
    var rank: Int {
        switch self {
        case .int: 0
        case .decimal: 1
        case .double: 2
        }
    }

    var value: Value {
        switch self {
        case .int(let integer): .int(integer)
        case .decimal(let decimal): .decimal(decimal)
        case .double(let double): .double(double)
        }
    }

    var asDecimal: Decimal {
        switch self {
        case .int(let integer): Decimal(integer)
        case .decimal(let decimal): decimal
        case .double(let double): double.shortestDecimal ?? .nan
        }
    }

    /// The nearest Double, read from the digits, because Decimal's own conversion rounds more than once.
    var asDouble: Double {
        switch self {
        case .int(let integer): Double(integer)
        case .decimal(let decimal): Double("\(decimal)") ?? .nan
        case .double(let double): double
        }
    }
}
