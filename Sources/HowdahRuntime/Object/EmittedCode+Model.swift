public import HowdahModel

extension _Emitted {
    /// The model in a text, with the objects of its entities in these classes.
    ///
    /// The classes' names in the text are replaced: what is meant are these classes, whatever the module is called
    /// that they are in.
    ///
    /// - Throws: as `ManagedObjectModel(canonicalJSON:)`.
    public static func model(
        canonicalJSON text: String, classes: [ManagedObject.Type]
    ) throws -> ManagedObjectModel {
        var entities = try ManagedObjectModel(canonicalJSON: text).entities
        let types = Dictionary(classes.map { ($0._entityName, $0) }, uniquingKeysWith: { first, _ in first })
        for index in entities.indices {
            guard let type = types[entities[index].name] else { continue }
            let name = _typeName(type, qualified: true)
            entities[index].className = name
            ClassRegistry.register(type, as: name)
        }
        return try ManagedObjectModel(entities: entities)
    }
}
