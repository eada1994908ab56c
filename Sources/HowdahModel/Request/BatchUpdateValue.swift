/// The new value of a property in a batch update: a value, nil, or a computation from the row before the
/// update.
///
/// Literals are values: `["title": "Doctor", "visits": .increment(by: 1), "reviewedAt": nil]`.
public struct BatchUpdateValue: Sendable {
    package enum Kind: Sendable {
        /// A value from the program.
        case given((any Sendable)?)
        /// Column and operand.
        case arithmetic(Operation, Value)
        /// The value of another attribute of the same row.
        case attribute(String)
        /// An expression that predicates can compute from the row.
        case computed(PredicateTree.Expression)
        /// An expression that cannot be computed.
        case invalid(PredicateTreeError)
    }

    package enum Operation: String, Sendable {
        case plus = "+"
        case times = "*"
    }

    package let kind: Kind

    package init(kind: Kind) { self.kind = kind }

    /// Returns a value of the property's type in the form of `setValue(_:forKey:)`; nil for none.
    ///
    /// It is a scalar, an enum, a composite, an array, or, for a to-one relationship, an `ObjectID`.
    public static func value(_ value: (any Sendable)?) -> BatchUpdateValue { .init(kind: .given(value)) }

    /// Returns the row's value plus an amount, which may be negative. Nil stays nil.
    public static func increment(by amount: Value) -> BatchUpdateValue {
        .init(kind: .arithmetic(.plus, amount))
    }

    /// Returns the row's value multiplied by a factor. Nil stays nil.
    ///
    /// The factor must have the attribute's own type: an Integer attribute is multiplied by whole numbers.
    public static func multiply(by factor: Value) -> BatchUpdateValue {
        .init(kind: .arithmetic(.times, factor))
    }

    /// Returns the value of another attribute of the same row before the update.
    ///
    /// It must have the same type. Name elements of composites by dotted path.
    public static func attribute(_ name: String) -> BatchUpdateValue { .init(kind: .attribute(name)) }

    /// Returns the value of an operand of the predicate language for the row before the update.
    ///
    /// Examples are `score * %@ + bonus`, `lowercase:(name)`, `department.budget`, `orders.@count` and
    /// `TERNARY(age < 18, 'minor', 'adult')`. You can use all operands of predicates, key paths to other rows
    /// included.
    ///
    /// If the operand has no result, as for a division by zero or a sum beyond 64 bits, the property becomes
    /// nil. A required property refuses the update then. An Integer attribute accepts integers, and others
    /// through `floor:`, `ceiling:` or `trunc:`. A Decimal accepts a Double only with a `CAST`. A to-one
    /// relationship accepts a key path to an object.
    ///
    /// It does not throw: if the format is wrong, the update throws.
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
    /// Creates a string.
    public init(stringLiteral value: String) { self = .value(Value.string(value)) }
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .value(Value.int(value)) }
    /// Creates a floating-point number; for a Decimal attribute it has exactly these digits.
    public init(floatLiteral value: Double) { self = .value(Value.double(value)) }
    /// Creates a Boolean.
    public init(booleanLiteral value: Bool) { self = .value(Value.bool(value)) }
    /// Creates no value.
    public init(nilLiteral: ()) { self = .value(nil) }
}
