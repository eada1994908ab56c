/// A validated set of entities: what a store is made from, compared with and migrated to.
///
/// Models are values; they are equal when their entities are, in order.
///
/// Source: Core Data's `NSManagedObjectModel`.
public struct ManagedObjectModel: Sendable {
    /// The entities in declaration order.
    public let entities: [EntityDescription]

    let index: EntityIndex

    /// Makes a model of `entities`.
    ///
    /// - Throws: ``ModelError`` with ``ModelError/Code/invalidModel``, which lists everything that is wrong.
    public init(entities: [EntityDescription]) throws(ModelError) {
        self.init(unchecked: entities)
        var validation = ModelValidation(model: self)
        validation.run()
        guard validation.issues.isEmpty else {
            throw ModelError(.invalidModel, issues: validation.issues)
        }
    }

    init(unchecked entities: [EntityDescription]) {
        self.entities = entities
        self.index = EntityIndex(entities)
    }

    /// The entity of that name.
    public subscript(name: String) -> EntityDescription? {
        index.positions[name].map { entities[$0] }
    }
}

extension ManagedObjectModel: Hashable {
    /// Whether both have the same entities in the same order.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.entities == rhs.entities }

    /// Hashes the entities.
    public func hash(into hasher: inout Hasher) { hasher.combine(entities) }
}
