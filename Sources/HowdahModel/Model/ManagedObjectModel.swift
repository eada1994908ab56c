/// A validated set of entities: what a store is made from, compared with and migrated to.
///
/// Source: Core Data's `NSManagedObjectModel`.
public struct ManagedObjectModel: Sendable {
    /// The entities in declaration order.
    public let entities: [EntityDescription]
    /// Names for sets of entities; the entities' names in the order given.
    public let configurations: [String: [String]]
    /// Fetch requests that are part of the model, by name; see `fetchRequest(fromTemplate:substituting:)`.
    public let fetchRequestTemplates: [String: FetchRequestTemplate]
    /// What the model's author calls this version; nil for nothing.
    public let versionIdentifier: String?

    let index: EntityIndex

    init(
        unchecked entities: [EntityDescription], configurations: [String: [String]] = [:],
        fetchRequestTemplates: [String: FetchRequestTemplate] = [:], versionIdentifier: String? = nil
    ) {
        self.entities = entities
        self.configurations = configurations
        self.fetchRequestTemplates = fetchRequestTemplates
        self.versionIdentifier = versionIdentifier
        self.index = EntityIndex(entities)
    }

    /// The entity of that name.
    public subscript(name: String) -> EntityDescription? {
        index.positions[name].map { entities[$0] }
    }

    /// The entities by their names.
    ///
    /// Source: Core Data's `entitiesByName`.
    public var entitiesByName: [String: EntityDescription] { index.positions.mapValues { entities[$0] } }
}

extension ManagedObjectModel: Hashable {
    /// Whether both have the same entities in the same order, configurations, templates and version identifier.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.entities == rhs.entities && lhs.configurations == rhs.configurations
            && lhs.fetchRequestTemplates == rhs.fetchRequestTemplates
            && lhs.versionIdentifier == rhs.versionIdentifier
    }

    /// Hashes the entities.
    public func hash(into hasher: inout Hasher) { hasher.combine(entities) }
}
