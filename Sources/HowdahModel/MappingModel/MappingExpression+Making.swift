extension MappingExpression {
    /// What lies at the end of a key path from the source object; without one, the source object itself.
    public static func source(_ keyPath: String? = nil) -> MappingExpression {
        let keys = keyPath.map { $0.split(separator: ".").map(String.init) } ?? []
        return MappingExpression(unchecked: .joined(.variable(Variable.source.rawValue), keys))
    }

    /// The same value for every object.
    public static func constant(_ value: Value) -> MappingExpression {
        MappingExpression(unchecked: .constant(value.normalized))
    }

    /// The destination objects that an entity mapping made of source objects.
    ///
    /// - Parameter sourceInstances: One object, a to-many relationship or nil; usually ``source(_:)``.
    public static func destinationInstances(
        forEntityMappingNamed name: String, sourceInstances: MappingExpression
    ) -> MappingExpression {
        call(.manager, Lookup.entityMapping.selector, [.constant(.string(name)), sourceInstances])
    }

    /// The destination objects that were made of source objects, by whichever entity mappings take the destination of a
    /// relationship of the source.
    public static func destinationInstances(
        forSourceRelationshipNamed name: String, sourceInstances: MappingExpression
    ) -> MappingExpression {
        call(.manager, Lookup.sourceRelationship.selector, [.constant(.string(name)), sourceInstances])
    }

    /// What a method of the entity's migration policy answers.
    public static func entityPolicy(
        _ selector: String, _ operands: MappingExpression...
    ) -> MappingExpression {
        call(.entityPolicy, selector, operands)
    }

    private static func call(
        _ target: Variable, _ selector: String, _ operands: [MappingExpression]
    ) -> MappingExpression {
        MappingExpression(
            unchecked: .call(.variable(target.rawValue), selector: selector, operands.map(\.root)))
    }
}
