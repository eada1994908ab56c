import Foundation
import HowdahModel

/// The model whose classes are checked in as the target `GeneratedModels`.
enum Gallery {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [work, painting, sculpture, artist, label, sample])
    }

    private static let size = CompositeDescription(
        "Size",
        [
            AttributeDescription("width", .double, optional: false),
            AttributeDescription("height", .double, optional: false, default: 1),
            AttributeDescription("depth", .double),
        ])
    private static let origin = CompositeDescription(
        "Origin",
        [
            AttributeDescription("city", .string), AttributeDescription("size", .composite(size)),
            AttributeDescription("since", .date), AttributeDescription("remark", .undefined),
        ])

    private static let work = EntityDescription(
        "Work", className: ".Work", abstract: true,
        properties: [
            .attribute("title", .string, optional: false, maximumLength: 200),
            .attribute("year", .integer16, minimum: 1000, maximum: 2999, userInfo: ["unit": "year"]),
            .attribute("hash", .integer64, optional: false, default: 0),
            .attribute("default", .boolean, optional: false, default: true),
            .relationship("artist", to: "Artist", inverse: "works"),
            .relationship("labels", to: "Label", inverse: "works", toMany: true),
        ], uniquenessConstraints: [["title", "year"]],
        userInfo: [MappingKey.table: "works", "kind": "hierarchy"])
    private static let painting = EntityDescription(
        "Painting", superentity: "Work",
        properties: [
            .attribute("size", .composite(size), optional: false),
            .attribute("origin", .composite(origin)),
            .relationship("original", to: "Painting", inverse: "copies", deleteRule: .deny),
            .relationship("copies", to: "Painting", inverse: "original", toMany: true),
        ])
    private static let sculpture = EntityDescription(
        "Sculpture", superentity: "Work",
        properties: [
            .attribute("weight", .decimal), .attribute("shape", .undefined),
            .attribute("isMoved", .boolean, optional: false, transient: true),
            .relationship("beside", to: "Sculpture", inverse: "beside", transient: true),
        ])
    private static let artist = EntityDescription(
        "Artist", className: "Gallery.Creator",
        properties: [
            .attribute("name", .string, optional: false),
            .relationship("works", to: "Work", inverse: "artist", toMany: true, deleteRule: .cascade),
        ], uniquenessConstraints: [["name"]], fetchedProperties: [.init("recent", recentWorks)],
        renamingIdentifier: "Painter", versionHashModifier: "1")
    private static var recentWorks: FetchRequestTemplate {
        var template = FetchRequestTemplate(
            entityName: "Work", predicateFormat: "artist == $FETCH_SOURCE AND year > 1900")
        template.sortDescriptors = [.key("title")]
        return template
    }
    private static let label = EntityDescription(
        "Label",
        properties: [
            .attribute("text", .string, optional: false, default: "a \"label\"\n\\(x)", regex: "[^z]+"),
            .relationship("works", to: "Work", inverse: "labels", toMany: true),
        ])
    /// Every attribute type, with a default value.
    private static let sample = EntityDescription(
        "Sample",
        properties: [
            .attribute("small", .integer16, optional: false, default: -3),
            .attribute("medium", .integer32, default: 70_000),
            .attribute("large", .integer64, default: .int(.min)),
            .attribute("exact", .decimal, default: .decimal(Decimal(string: "-0.125") ?? 0)),
            .attribute("double", .double, default: 1e300), .attribute("float", .float, default: -0.1),
            .attribute("text", .string), .attribute("flag", .boolean, default: false),
            .attribute("date", .date, default: .date(Date(timeIntervalSinceReferenceDate: 0.25))),
            .attribute(
                "bytes", .binary, default: .data(Data([0, 255])), allowsExternalBinaryDataStorage: true),
            .attribute("uuid", .uuid, default: "8A9B3C1E-0000-4000-8000-000000000001"),
            .attribute("link", .uri, default: "https://example.org/a?b=c#d"),
            .attribute("picture", .transformable, valueTransformerName: "NSSecureUnarchiveFromData"),
            .attribute("settings", .transformable, userInfo: [MappingKey.jsonb: "true"]),
            .attribute("size", .composite(size), default: .composite([2, 3, .null])),
            .attribute("required", .date, optional: false),
        ])
}
