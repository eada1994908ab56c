import HowdahModel

/// Natural keys with default values, and a hierarchy of which objects have one key.
enum Forum {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "User",
                properties: [
                    .attribute("email", .string, optional: false), .attribute("name", .string),
                    .attribute("isKing", .boolean, optional: false, default: false),
                    .attribute("memory", .string, transient: true),
                    .attribute("loud", .string, derivation: "uppercase:(name)"),
                    .relationship("posts", to: "Post", inverse: "author", toMany: true),
                ], uniquenessConstraints: [["email"]]),
            EntityDescription("Admin", superentity: "User", properties: [.attribute("level", .integer32)]),
            EntityDescription(
                "Page",
                properties: [
                    .attribute("slug", .string, optional: false, default: "home"),
                    .attribute("text", .string),
                ], uniquenessConstraints: [["slug"]]),
            EntityDescription(
                "Post",
                properties: [
                    .attribute("section", .string, optional: false, default: "main"),
                    .attribute("number", .integer32, optional: false), .attribute("text", .string),
                    .relationship("author", to: "User", inverse: "posts"),
                ], uniquenessConstraints: [["section", "number"]]),
        ])
    }

    static let lines = """
        {"@entity":"User","email":"ada@x","name":"Ada"}
        {"@entity":"Admin","email":"root@x","name":"Root","level":1}
        {"@entity":"Page","slug":"home","text":"Welcome"}
        {"@entity":"Post","section":"main","number":1,"text":"First"}

        """
}
