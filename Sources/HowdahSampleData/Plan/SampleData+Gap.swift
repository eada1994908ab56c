extension SampleData {
    /// Something that the model's rules kept out of the graph.
    public struct Gap: Hashable, Sendable, CustomStringConvertible {
        /// The entity concerned.
        public let entityName: String
        /// How many objects were asked for.
        public let wanted: Int
        /// How many there are.
        public let made: Int
        /// The rule that is the reason.
        public let reason: String

        /// The gap, its reason and a remedy, as sentences.
        public var description: String {
            made == wanted
                ? "\(entityName): \(reason). Set the attribute in code, or relax its rules."
                : "\(entityName): \(made) of \(wanted) objects, because \(reason). Request fewer objects, or relax the rule."
        }
    }
}
