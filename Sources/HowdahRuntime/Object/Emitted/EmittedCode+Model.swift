public import HowdahModel

extension _Emitted {
    /// Returns the model of a text, with the objects of its entities in these classes.
    ///
    /// The classes' names in the text are replaced: these classes are meant, in a module of any name.
    ///
    /// - Throws: The errors of `ManagedObjectModel(canonicalJSON:)`.
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
