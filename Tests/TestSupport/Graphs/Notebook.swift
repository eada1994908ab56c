package import HowdahModel
package import HowdahRuntime

/// Folders with an ordered list of notes: what a `TenantProgram` writes, two notes for each folder.
package enum Notebook {
    package static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [
                EntityDescription(
                    "Folder",
                    properties: [
                        .attribute("name", .string, optional: false),
                        .attribute("size", .decimal),
                        .relationship(
                            "notes", to: "Note", inverse: "folder", toMany: true, ordered: true,
                            deleteRule: .cascade),
                        .relationship("tags", to: "Tag", inverse: "folders", toMany: true),
                    ]),
                EntityDescription(
                    "Note",
                    properties: [
                        .attribute("text", .string, optional: false),
                        .attribute("blob", .binary),
                        .relationship("folder", to: "Folder", inverse: "notes", optional: false),
                    ]),
                EntityDescription(
                    "Tag",
                    properties: [
                        .attribute("name", .string, optional: false),
                        .relationship("folders", to: "Folder", inverse: "tags", toMany: true),
                    ], uniquenessConstraints: [["name"]]),
            ], versionIdentifier: "Notebook 1")
    }

    /// Saves folders with two notes each.
    package nonisolated(nonsending)
        static func fill(_ container: PersistentContainer, folders: Int) async throws
    {
        try await container.perform { context in
            for number in 0..<folders {
                let folder = context.insert("Folder")
                folder["name"] = "folder \(number)"
                for text in ["b", "a"] {
                    let note = context.insert("Note")
                    note["text"] = "\(text) of \(number), 'quoted' \\ \t 🎒"
                    note["folder"] = folder
                }
            }
            try context.save()
        }
    }
}
