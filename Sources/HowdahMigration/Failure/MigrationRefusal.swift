/// A change that cannot be inferred from two models, with the remedy.
package struct MigrationRefusal: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The entity in the later model; in the earlier one if it was removed.
    package let entity: String
    /// The property, with elements of composites by dotted path; nil for the whole entity.
    package let property: String?
    /// The fault, its place and the remedy.
    package let message: String
    /// The name that confirms the drop of the values: an entity or `Entity.property` of the earlier model.
    package let confirmation: String
    /// A Boolean value that indicates whether only values are lost and inference can continue.
    package let isLoss: Bool
    /// Indicates whether a query of the store failed or had no time, so that the next plan may be another one.
    package private(set) var isUnanswered = false

    /// Reports have these.
    private enum CodingKeys: CodingKey { case entity, property, message, confirmation, isLoss }

    package var description: String { message }

    package init(
        entity: String, property: String?, message: String, confirmation: String, isLoss: Bool = false,
        isUnanswered: Bool = false
    ) {
        self.entity = entity
        self.property = property
        self.message = message
        self.confirmation = confirmation
        self.isLoss = isLoss
        self.isUnanswered = isUnanswered
    }
}
