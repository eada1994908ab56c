import Howdah

/// Entities of equal and of different shapes, so that the answer to another statement is either taken for one's own or
/// refused; both show.
enum MixedModel {
    static let entities = ["Alpha", "Beta", "Gamma"]

    /// The columns of all entities have the same types, except that rows of Gamma have arrays.
    static func first() throws -> ManagedObjectModel { try model(value: .integer64) }

    /// Another version: the same names with other types.
    static func second() throws -> ManagedObjectModel { try model(value: .double) }

    private static func model(value: AttributeType) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: entities.map { name in
                EntityDescription(
                    name,
                    properties: [
                        .attribute("token", .uuid, optional: false),
                        .attribute("owner", .integer64, optional: false),
                        .attribute("value", value, optional: false),
                    ] + (name == "Gamma" ? [.attribute("labels", .array(of: .string))] : []),
                    uniquenessConstraints: [["token"]], fetchIndexes: [.init("by_owner", on: "owner")])
            })
    }
}
