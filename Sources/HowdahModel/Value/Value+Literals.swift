extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral
{
    /// Creates a String value. If the type of a description asks for it, it becomes a UUID, URI or Decimal.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Creates an Integer value. If the type of a description asks for it, it becomes a Decimal, Double or
    /// Float.
    public init(integerLiteral value: Int64) { self = .int(value) }

    /// Creates a Double value. If the type of a description asks for it, it becomes a Decimal or Float.
    public init(floatLiteral value: Double) { self = .double(value) }

    /// Creates a Boolean value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}
