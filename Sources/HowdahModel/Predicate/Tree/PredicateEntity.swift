/// A class whose objects are of an entity, for predicates that ask what an object is.
package protocol PredicateEntity {
    /// The entity's name in the model.
    static var predicateEntityName: String { get }
}

extension PredicateTree.Expression {
    /// The names of the entity of what lies at the end of an operand, and of those above it.
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
