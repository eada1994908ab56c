/// What a property becomes in a batch update: a value, nothing, or something computed from the row as it was.
///
/// Literals are values: `["title": "Doctor", "visits": .increment(by: 1), "reviewedAt": nil]`.
public struct BatchUpdateValue: Sendable {
    package enum Kind: Sendable {
        /// A value as a program gives it.
        case given((any Sendable)?)
        /// Column and operand.
        case arithmetic(Operation, Value)
        /// The value of another attribute of the same row.
        case attribute(String)
        /// What predicates can compute of the row.
        case computed(PredicateTree.Expression)
        /// What cannot be computed.
        case invalid(PredicateTreeError)
    }

    package enum Operation: String, Sendable {
        case plus = "+"
        case times = "*"
    }

    package let kind: Kind

    package init(kind: Kind) { self.kind = kind }

    /// A value of the property's type, as `setValue(_:forKey:)` takes it: a scalar, an enum, a composite, an array, for a
    /// to-one relationship an `ObjectID`; nil for none.
    public static func value(_ value: (any Sendable)?) -> BatchUpdateValue { .init(kind: .given(value)) }

    /// What the row had, and so much more; with a negative number less. Nil stays nil.
    public static func increment(by amount: Value) -> BatchUpdateValue {
        .init(kind: .arithmetic(.plus, amount))
    }

    /// What the row had, multiplied. Nil stays nil.
    ///
    /// The factor has to be of the attribute's own type: an Integer attribute is multiplied by whole numbers.
    public static func multiply(by factor: Value) -> BatchUpdateValue {
        .init(kind: .arithmetic(.times, factor))
    }

    /// What another attribute of the same row had before the update; of the same type, elements of composites by dotted
    /// path.
    public static func attribute(_ name: String) -> BatchUpdateValue { .init(kind: .attribute(name)) }

    /// What an operand of the predicate language comes to on the row as it was: `score * %@ + bonus`, `lowercase:(name)`,
    /// `department.budget`, `orders.@count`, `TERNARY(age < 18, 'minor', 'adult')`.
    ///
    /// All that predicates know can be written, key paths to other rows included. Where there is no result, as for a
    /// division by zero or a sum beyond 64 bits, the property becomes nil, and a required one refuses the update. An
    /// Integer attribute takes integers, and others by `floor:`, `ceiling:` or `trunc:`; a Decimal takes no Double without a
    /// `CAST`. A to-one relationship takes a key path that leads to an object.
    ///
    /// Does not throw: a wrong format makes the update throw.
    public static func expression(_ format: String, _ arguments: (any Sendable)?...) -> BatchUpdateValue {
        do throws(PredicateTreeError) {
            return .init(kind: .computed(try PredicateTree.Expression(format: format, arguments: arguments)))
        } catch {
            return .init(kind: .invalid(error))
        }
    }
}

extension BatchUpdateValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    /// Makes a text.
    public init(stringLiteral value: String) { self = .value(Value.string(value)) }
    /// Makes a whole number.
    public init(integerLiteral value: Int64) { self = .value(Value.int(value)) }
    /// Makes a floating-point number; for a Decimal attribute the one that the digits say.
    public init(floatLiteral value: Double) { self = .value(Value.double(value)) }
    /// Makes a Boolean.
    public init(booleanLiteral value: Bool) { self = .value(Value.bool(value)) }
    /// Makes no value.
    public init(nilLiteral: ()) { self = .value(nil) }
}
