public import HowdahModel

/// What of a store is exported as JSON lines.
public struct GraphExport: Sendable {
    /// The entity, with its subentities; nil for the whole store.
    public var entityName: String?
    /// Which of the entity's objects; nil for all.
    public var predicate: PredicateTree?
    /// What of them, and of what they lead to; empty for what their rows hold. See
    /// ``ManagedObjectContext/encodeGraph(of:keyPaths:)``.
    public var keyPaths: [String] = []

    /// The objects of an entity, or the whole store.
    public init(entityName: String? = nil) { self.entityName = entityName }

    /// What an export wrote.
    public struct Summary: Hashable, Sendable {
        /// How many lines each entity has, in their order.
        public internal(set) var counts: [Count] = []
        /// The relationships that were left out, such as `Employee.room`: they lead to objects without a natural key that
        /// are not a part of the export.
        public internal(set) var omitted: [String] = []
        /// How many lines there are.
        public var lineCount: Int { counts.reduce(0) { $0 + $1.lines } }
    }

    /// The lines of one entity.
    public struct Count: Hashable, Sendable {
        /// The entity's name.
        public let entityName: String
        /// How many lines.
        public internal(set) var lines: Int
    }
}
