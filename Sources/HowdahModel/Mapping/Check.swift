extension StoreSchema {
    /// A condition that every row of a table meets.
    public struct Check: Hashable, Sendable {
        /// The constraint's name.
        public var name: String
        /// What has to hold.
        public var condition: Condition
        /// Where it comes from.
        public var origin: Origin
    }

    /// A condition on one row, in terms of its columns; like SQL's CHECK it holds where it is unknown.
    public indirect enum Condition: Hashable, Sendable {
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
        /// The array in the column has one dimension, counts from 1, and holds no NULL.
        case isPlainArray(column: String)
        /// All of these hold.
        case and([Condition])
        /// One of these holds.
        case or([Condition])
        /// This does not hold.
        case not(Condition)
    }
}
