public import HowdahModel
import PQClient

/// A statement in SQL with parameters: interpolated values never become a part of the text.
///
/// ```swift
/// "SELECT count(*) FROM employee WHERE salary > \(limit) AND last_name = ANY(\(names))"
/// ```
/// `\(name:)` interpolates an identifier in quotes. A statement is a literal of static strings: text that a
/// program composed cannot become one.
public struct SQLQuery: Sendable, ExpressibleByStringInterpolation {
    /// The text, with `$1` and following.
    public private(set) var text: String
    var parameters = Parameters()
    /// The error for the first value that cannot be sent.
    var failure: FetchError?

    /// Creates a statement without values.
    public init(stringLiteral text: StaticString) { self.text = "\(text)" }

    /// Creates a statement with values.
    public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.query }

    /// Collects the parts of a statement.
    public struct StringInterpolation: StringInterpolationProtocol {
        var query: SQLQuery

        /// Begins a statement.
        public init(literalCapacity: Int, interpolationCount: Int) { query = "" }

        /// Adds SQL.
        public mutating func appendLiteral(_ literal: StaticString) { query.text += "\(literal)" }

        /// Adds a value as a parameter.
        public mutating func appendInterpolation<Value: AttributeValue>(_ value: Value) {
            query.append(value)
        }

        /// Adds the key of an object as a parameter.
        public mutating func appendInterpolation<Object>(_ id: ObjectID<Object>) {
            query.parameters.append(id.key)
            query.text += "$\(query.parameters.count)"
        }

        /// Adds an identifier in quotes.
        public mutating func appendInterpolation(name: String) {
            query.text += SQLIdentifier.quoted(name)
        }
    }

    private mutating func append<Value: AttributeValue>(_ value: Value) {
        guard let type = Value._attributeType.scalarColumn else {
            failure =
                failure
                ?? FetchError(
                    .invalidRequest, "\(Value.self) cannot be passed as one parameter. Pass its elements.")
            return
        }
        do {
            try parameters.append(type.oid) { try $0.write(value._stored._value, as: type) }
            text += "$\(parameters.count)"
        } catch {
            let reason = (error as? PostgresError)?.message ?? "Pass another value."
            failure =
                failure
                ?? FetchError(
                    .invalidValue,
                    "The \(Value.self) in parameter \(parameters.count + 1) of the statement cannot be sent to "
                        + "the server. \(reason)")
        }
    }
}

extension AttributeType {
    /// The type of the one column with such values in a query; nil if there is none.
    var scalarColumn: StoreSchema.ColumnType? { AttributeDescription("value", self).columnType }
}
