extension PredicateTreeError {
    /// A kind of failure; more codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// The format does not follow the grammar.
        public static let syntax = Code(description: "syntax")
        /// The format follows Apple's grammar but uses a construct that is not supported.
        public static let unsupported = Code(description: "unsupported")
        /// There are fewer or more arguments than placeholders.
        public static let argumentCount = Code(description: "argumentCount")
        /// An argument has a type that its placeholder cannot accept.
        public static let argumentType = Code(description: "argumentType")
        /// The operands do not suit the operator.
        public static let invalidOperand = Code(description: "invalidOperand")
        /// The predicate exceeds a limit of ``PredicateTree``.
        public static let tooLarge = Code(description: "tooLarge")
        /// A `$variable` has no value.
        public static let unboundVariable = Code(description: "unboundVariable")
        /// The model has no fetch request template of that name.
        public static let unknownTemplate = Code(description: "unknownTemplate")
        /// A key path names a property that the object does not have.
        public static let unknownKey = Code(description: "unknownKey")
    }
}
