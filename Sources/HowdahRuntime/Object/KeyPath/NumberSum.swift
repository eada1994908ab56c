import Foundation
import HowdahModel

/// A sum of numbers, which is exact for integers and decimals.
struct NumberSum {
    private var whole: Int64 = 0
    private var exact: Decimal?
    private var binary: Double?
    private var count = 0

    /// - Parameter type: The type of the members, for the result of none; nil for integers.
    init(_ members: [Any?], of type: AttributeType? = nil) {
        switch type?.kind {
        case .decimal: exact = 0
        case .double, .float: binary = 0
        default: break
        }
        for case let member? in members {
            if let value = (member as? any AttributeValue)?._value { add(value) }
        }
    }

    /// The sum: an Int64 of integers, a Decimal of decimals, a Double of Doubles and Floats; 0 of none.
    ///
    /// If an Int64 is too small, it is a Decimal.
    var sum: Any {
        if let binary { return binary }
        if let exact { return exact }
        return whole
    }

    /// The mean: a Double of Doubles and Floats, otherwise a Decimal; 0 of none.
    var average: Any {
        if let binary { return binary / Double(max(count, 1)) }
        return (exact ?? Decimal(whole)) / Decimal(max(count, 1))
    }

    private mutating func add(_ value: Value) {
        switch value {
        case .bool(let flag): addWhole(flag ? 1 : 0)
        case .int(let number): addWhole(number)
        case .decimal(let number): exact = (exact ?? Decimal(whole)) + number
        case .double(let number): binary = (binary ?? 0) + number
        case .float(let number): binary = (binary ?? 0) + Double(number)
        default: return
        }
        count += 1
    }

    private mutating func addWhole(_ number: Int64) {
        let (total, overflow) = whole.addingReportingOverflow(number)
        if let exact {
            self.exact = exact + Decimal(number)
        } else if overflow {
            exact = Decimal(whole) + Decimal(number)
        } else {
            whole = total
        }
    }
}
