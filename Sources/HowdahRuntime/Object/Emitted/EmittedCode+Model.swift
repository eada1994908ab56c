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
        var names: [String: String] = [:]
        for type in classes {
            let name = _typeName(type, qualified: true)
            names[type._entityName] = name
            ClassRegistry.register(type, as: name)
        }
        return try ManagedObjectModel(canonicalJSON: text, classNames: names)
    }
}
