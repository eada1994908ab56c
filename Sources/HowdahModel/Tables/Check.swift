extension StoreSchema {
    /// A condition that every row of a table meets.
    package struct Check: Hashable, Sendable {
        /// The constraint's name.
        package var name: String
        /// What has to hold.
        package var condition: Condition
        /// Where it comes from.
        package var origin: Origin
    }

    /// A condition on one row, in terms of its columns; like SQL's CHECK it holds where it is unknown.
    package indirect enum Condition: Hashable, Sendable {
        /// The text in the column is one of these.
        case isOneOf(column: String, [String])
        /// The column is not NULL.
        case isNotNull(column: String)
        /// The columns are all NULL.
        case allNull([String])
        /// The columns are all NULL or all not NULL.
        case allOrNone([String])
        /// The column is this value or a greater one.
        case isAtLeast(column: String, Value)
        /// The column is this value or a smaller one.
        case isAtMost(column: String, Value)
        /// The text in the column has at least as many Unicode scalars.
        case isLongerOrEqual(column: String, Int)
        /// The text in the column has at most as many Unicode scalars.
        case isShorterOrEqual(column: String, Int)
        /// The column is NULL.
        case isNull(column: String)
        /// The column compares so with a value.
        case compares(column: String, Comparison, Value)
        /// The column is one of these values, none of which is NULL.
        case isIn(column: String, [Value])
        /// The whole text in the column matches a regular expression of the subset that memory and the server share.
        case matches(column: String, String)
        /// The condition is false or unknown.
        case isNotTrue(Condition)
        /// Always the same.
        case constant(Bool)
        /// The array in the column has one dimension, counts from 1, and holds no NULL.
        case isPlainArray(column: String)
        /// All of these hold.
        case and([Condition])
        /// One of these holds.
        case or([Condition])
        /// This does not hold.
        case not(Condition)
    }
    /// How a column compares with a value that is not NULL.
    package enum Comparison: Hashable, Sendable {
        /// Equal.
        case equal
        /// Not equal, and not NULL.
        case notEqual
        /// Not equal, or NULL.
        case distinct
        /// Smaller.
        case less
        /// Greater.
        case greater
    }
}
