import HowdahModel
import HowdahRuntime

extension AttributeType {
    /// Returns the value of an expression in the form that an attribute stores; nil if it cannot.
    func fitting(_ value: Value, of expression: PredicateTree.Expression) -> Value? {
        if value.isNull { return .null }
        let wide: Value =
            if self != .float, case .float(let number) = value { .double(Double(number)) } else { value }
        let taken = coerced(taking(wide, of: expression, anyWhole: true))
        if case .float(let number) = taken, let exact = wide.asDouble, exact.isFinite,
            number.isInfinite || number == 0 && exact != 0
        {
            return nil
        }
        return BatchValue.attribute(taken, self)
    }
}

extension Value {
    /// The number as a Double, if it is one or a Decimal.
    fileprivate var asDouble: Double? {
        switch self {
        case .double(let number): number
        case .decimal(let number): Double("\(number)")
        default: nil
        }
    }
}
