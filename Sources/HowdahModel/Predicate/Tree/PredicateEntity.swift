/// A class whose objects are of an entity, for predicates about the entity of an object.
package protocol PredicateEntity {
    /// The entity's name in the model.
    static var predicateEntityName: String { get }
}

extension PredicateTree.Expression {
    /// Returns the names of the entity of an operand's object, and of the entities above it.
    package static func lineage(of operand: Self) -> Self { .joined(operand, ["entity", "lineage"]) }
}

extension PredicateTreeError {
    package static func noPartOfEntity(_ path: String) -> PredicateTreeError {
        PredicateTreeError(
            .unknownKey,
            "\(path): An entity has only a name and a lineage. Write entity.name == 'Boss', or "
                + "entity.lineage CONTAINS 'Boss' to include subentities.", token: "entity")
    }
}
