public import HowdahModel

/// The part of a store to export as JSON lines.
public struct GraphExport: Sendable {
    /// The entity, with its subentities; nil for the whole store.
    public var entityName: String?
    /// The condition on the entity's objects; nil for all.
    public var predicate: PredicateTree?
    /// The key paths to export; empty for the stored values of each object's row.
    ///
    /// See ``ManagedObjectContext/encodeGraph(of:keyPaths:including:)``.
    public var keyPaths: [String] = []

    /// Creates an export of the objects of an entity, or of the whole store.
    public init(entityName: String? = nil) { self.entityName = entityName }

    /// The result of an export.
    public struct Summary: Hashable, Sendable {
        /// The number of lines of each entity, in their order.
        public internal(set) var counts: [Count] = []
        /// The relationships that were left out, such as `Employee.room`.
        ///
        /// They refer to objects without a natural key that are not a part of the export.
        public internal(set) var omitted: [String] = []
        /// The total number of lines.
        public var lineCount: Int { counts.reduce(0) { $0 + $1.lines } }
    }

    /// The lines of one entity.
    public struct Count: Hashable, Sendable {
        /// The entity's name.
        public let entityName: String
        /// The number of lines.
        public internal(set) var lines: Int
    }
}
