/// A validated set of entities. A store is created from it, compared with it and migrated to it.
///
/// Source: Core Data's `NSManagedObjectModel`.
public struct ManagedObjectModel: Sendable {
    /// The entities in declaration order.
    public let entities: [EntityDescription]
    /// The named sets of entities; each has the names of its entities in the given order.
    public let configurations: [String: [String]]
    /// The fetch requests of the model, by name; see `fetchRequest(fromTemplate:substituting:)`.
    public let fetchRequestTemplates: [String: FetchRequestTemplate]
    /// The author's name for this version; nil if there is none.
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

    /// Returns the entity of that name.
    public subscript(name: String) -> EntityDescription? {
        index.positions[name].map { entities[$0] }
    }

    /// The entities by their names.
    ///
    /// Source: Core Data's `entitiesByName`.
    public var entitiesByName: [String: EntityDescription] { index.positions.mapValues { entities[$0] } }
}

extension ManagedObjectModel: Hashable {
    /// Returns a Boolean value that indicates whether two models are equal.
    ///
    /// They are if they have the same entities in the same order, configurations, templates and version
    /// identifier.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.entities == rhs.entities && lhs.configurations == rhs.configurations
            && lhs.fetchRequestTemplates == rhs.fetchRequestTemplates
            && lhs.versionIdentifier == rhs.versionIdentifier
    }

    /// Hashes the entities.
    public func hash(into hasher: inout Hasher) { hasher.combine(entities) }
}
