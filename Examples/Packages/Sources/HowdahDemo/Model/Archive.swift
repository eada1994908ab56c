import Howdah

/// The model of the demo.
enum Archive {
    /// Four entities with a class each, and one without: see ``importRecord``.
    static func model() throws -> ManagedObjectModel {
        let typed = try ManagedObjectModel(Package.self, Dependency.self, Section.self, Maintainer.self)
        return try ManagedObjectModel(entities: typed.entities + [importRecord])
    }

    /// How far the import of a source has come. It has no class: its objects are plain `ManagedObject`s whose
    /// properties are read and set by name, as in `record["packages"]`.
    static let importRecord = EntityDescription(
        "ImportRecord",
        properties: [
            .attribute("source", .string, optional: false),
            .attribute("packages", .integer64, optional: false, default: .int(0)),
            .attribute("isComplete", .boolean, optional: false, default: .bool(false)),
        ],
        uniquenessConstraints: [["source"]])
}
