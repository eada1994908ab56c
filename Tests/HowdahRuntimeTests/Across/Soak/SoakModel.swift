import Howdah

/// Entries, by which each unit of work shows what it stored, and people, whom others rename and delete meanwhile.
enum SoakModel {
    /// How many people there are at first.
    static let people = 300

    /// Tokens are not unique, so that a unit that is stored twice shows.
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Entry",
                properties: [
                    .attribute("token", .uuid, optional: false),
                    .attribute("number", .integer64, optional: false),
                ], fetchIndexes: [.init("by_token", on: "token")]),
            EntityDescription(
                "Person",
                properties: [
                    .attribute("name", .string, optional: false),
                    .attribute("visits", .integer64, optional: false, default: .int(0)),
                ]),
        ])
    }
}
