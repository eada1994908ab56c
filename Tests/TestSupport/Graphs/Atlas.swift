package import HowdahModel

/// Countries and cities have natural keys, one of them with a relationship in it; people have none.
package enum Atlas {
    package static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Country",
                properties: [
                    .attribute("code", .string, optional: false), .attribute("name", .string),
                    .attribute("size", .integer32, optional: false, default: 1, minimum: 0),
                    .relationship("cities", to: "City", inverse: "country", toMany: true),
                ], uniquenessConstraints: [["code"]]),
            EntityDescription(
                "City",
                properties: [
                    .attribute("name", .string, optional: false), .attribute("area", .decimal),
                    .relationship("country", to: "Country", inverse: "cities", optional: false),
                    .relationship("people", to: "Person", inverse: "city", toMany: true),
                ], uniquenessConstraints: [["country", "name"]]),
            EntityDescription(
                "Person", abstract: true,
                properties: [
                    .attribute("name", .string, optional: false),
                    .relationship("city", to: "City", inverse: "people"),
                    .relationship("friends", to: "Person", inverse: "friends", toMany: true),
                    .relationship("tags", to: "Tag", inverse: "people", toMany: true, ordered: true),
                ]),
            EntityDescription("Adult", superentity: "Person", properties: [.attribute("job", .string)]),
            EntityDescription("Child", superentity: "Person"),
            EntityDescription(
                "Tag",
                properties: [
                    .attribute("word", .string, optional: false),
                    .attribute("memory", .string, transient: true),
                    .relationship("people", to: "Person", inverse: "tags", toMany: true),
                ], uniquenessConstraints: [["word"]]),
        ])
    }

    package static let lines = """
        {"@entity":"Country","code":"DE","name":"Germany","size":3}
        {"@entity":"Country","code":"FR","name":null,"size":1}
        {"@entity":"City","area":null,"country":{"@ref":{"code":"DE"}},"name":"Ulm"}
        {"@entity":"City","area":105.4,"country":{"@ref":{"code":"FR"}},"name":"Paris"}
        {"@entity":"Tag","word":"a"}
        {"@entity":"Tag","word":"b"}
        {"@entity":"Adult","@id":"Adult/1","city":{"@ref":{"country":{"@ref":{"code":"DE"}},"name":"Ulm"}},\
        "friends":[{"@entity":"Adult","@ref":"Adult/2"},{"@entity":"Child","@ref":"Child/1"}],"job":null,"name":"Ada",\
        "tags":[{"@ref":{"word":"b"}},{"@ref":{"word":"a"}}]}
        {"@entity":"Adult","@id":"Adult/2","city":null,"friends":[{"@entity":"Adult","@ref":"Adult/1"}],"job":null,\
        "name":"Bo","tags":[]}
        {"@entity":"Child","@id":"Child/1","city":{"@ref":{"country":{"@ref":{"code":"FR"}},"name":"Paris"}},\
        "friends":[{"@entity":"Adult","@ref":"Adult/1"}],"name":"Cy","tags":[{"@ref":{"word":"a"}}]}

        """
}
