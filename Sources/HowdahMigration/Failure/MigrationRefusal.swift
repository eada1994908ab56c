/// Something that cannot be inferred from two models, and what would make it possible.
package struct MigrationRefusal: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The entity in the later model; in the earlier one where it was removed.
    package let entity: String
    /// The property, elements of composites by dotted path; nil where the entity is meant.
    package let property: String?
    /// What is wrong, where, and what to do.
    package let message: String
    /// What confirms that the values concerned may be dropped: an entity or `Entity.property` of the earlier model.
    package let confirmation: String
    /// Indicates whether inference does without it, and values are lost only.
    package let isLoss: Bool

    package var description: String { message }

    package init(
        entity: String, property: String?, message: String, confirmation: String, isLoss: Bool = false
    ) {
        self.entity = entity
        self.property = property
        self.message = message
        self.confirmation = confirmation
        self.isLoss = isLoss
    }
}
