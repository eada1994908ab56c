extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral
{
    /// Makes a String value; descriptions turn it into a UUID, URI or Decimal where their type asks for one.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Makes an Integer value; descriptions turn it into a Decimal, Double or Float where their type asks for one.
    public init(integerLiteral value: Int64) { self = .int(value) }

    /// Makes a Double value; descriptions turn it into a Decimal or Float where their type asks for one.
    public init(floatLiteral value: Double) { self = .double(value) }

    /// Makes a Boolean value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}
