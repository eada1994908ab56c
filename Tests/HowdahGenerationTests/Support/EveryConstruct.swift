import Foundation
import HowdahModel

/// A model with everything in it that a model can have.
enum EveryConstruct {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [values, thing, person, worker, boss, pair, place, odd])
    }

    private static let types: [(name: String, type: AttributeType, value: Value)] = [
        ("integer16", .integer16, .int(-32_768)), ("integer32", .integer32, .int(7)),
        ("integer64", .integer64, .int(.min)),
        ("decimal", .decimal, .decimal(Decimal(string: "-0.125") ?? 0)),
        ("double", .double, .double(1e300)), ("float", .float, .float(-0.1)),
        ("string", .string, .string("\"\\(quoted)\"\n\u{202E}#\"\"\"# é \u{1F600}")),
        ("boolean", .boolean, .bool(true)),
        ("date", .date, .date(Date(timeIntervalSinceReferenceDate: 0.25))),
        ("binary", .binary, .data(Data([0, 255]))),
        ("uuid", .uuid, .uuid(UUID(uuidString: "8A9B3C1E-0000-4000-8000-000000000001") ?? UUID())),
        ("uri", .uri, .uri(URL(string: "https://example.org/a?b=c#d") ?? URL(filePath: "/"))),
        ("transformable", .transformable, .data(Data([1]))),
        ("place", .composite(placeType), .composite([.double(1), .double(-.infinity), .null, .null])),
    ]

    private static let nested = CompositeDescription(
        "Accuracy",
        [
            AttributeDescription("metres", .float, optional: false, default: 5),
            AttributeDescription("by", .string, default: "GPS"),
            AttributeDescription("measured", .date, preservesValueInHistoryOnDeletion: true),
            AttributeDescription("later", .undefined),
        ])

    private static let placeType = CompositeDescription(
        "Coordinate",
        [
            AttributeDescription("latitude", .double, optional: false),
            AttributeDescription(
                "longitude", .double, optional: false, default: 0, userInfo: [MappingKey.column: "lon"]),
            AttributeDescription("default", .decimal, minimum: -1),
            AttributeDescription("accuracy", .composite(nested)),
        ])

    /// Each attribute type: optional, required, with default values, and transient.
    private static let values = EntityDescription(
        "Values",
        properties: types.flatMap { name, type, value -> [PropertyDescription] in
            [
                .attribute("\(name)Optional", type), .attribute("\(name)Required", type, optional: false),
                .attribute("\(name)Default", type, default: value),
                .attribute("\(name)RequiredDefault", type, optional: false, default: value),
                .attribute("\(name)Transient", type, transient: true),
            ]
        } + [
            .attribute("nothing", .undefined),
            .attribute("notANumber", .double, default: .double(.nan)),
            .attribute("noDecimal", .decimal, default: .decimal(.nan)),
            .attribute(
                "image", .transformable, valueTransformerName: "NSSecureUnarchiveFromData",
                allowsExternalBinaryDataStorage: true, userInfo: ["note": "\\(x)\\#(y)"]),
            .attribute("settings", .transformable, userInfo: [MappingKey.jsonb: "true"]),
        ])

    /// An abstract class of three levels, and every kind of relationship.
    private static let thing = EntityDescription(
        "Thing", abstract: true,
        properties: [
            .attribute(
                "label", .string, optional: false, minimumLength: 1, maximumLength: 80, regex: "[^\\s].*"),
            .relationship("owner", to: "Person", inverse: "things"),
        ], uniquenessConstraints: [["label"]], userInfo: [MappingKey.table: "all_things", "other": "kept"])
    private static let person = EntityDescription(
        "Person", className: ".Human", superentity: "Thing",
        properties: [
            .relationship("things", to: "Thing", inverse: "owner", toMany: true, deleteRule: .cascade),
            .relationship("friends", to: "Person", inverse: "friends", toMany: true),
            .relationship("twin", to: "Person", inverse: "twin", deleteRule: .deny),
            .relationship(
                "places", to: "Place", inverse: "visitors", toMany: true, ordered: true, minCount: 0,
                maxCount: 9),
            .attribute("age", .integer16, minimum: 0, maximum: 150, renamingIdentifier: "years"),
        ])
    private static let worker = EntityDescription(
        "Worker", className: "Module.Worker", superentity: "Person",
        properties: [
            .attribute("wage", .decimal, optional: false, default: 0),
            .relationship("boss", to: "Boss", inverse: "team", optional: false),
        ], uniquenessConstraints: [["wage", "boss"], ["label", "wage"]])
    private static let boss = EntityDescription(
        "Boss", superentity: "Worker",
        properties: [
            .relationship("team", to: "Worker", inverse: "boss", toMany: true, deleteRule: .noAction)
        ], renamingIdentifier: "Chief", versionHashModifier: "2")
    /// A class without properties, and one whose superclass has none.
    private static let pair = EntityDescription("Nothing", className: "NSManagedObject")
    private static let place = EntityDescription(
        "Place", className: "",
        properties: [
            .attribute("coordinate", .composite(placeType), optional: false),
            .attribute("accuracy", .composite(nested)),
            .relationship("visitors", to: "Person", inverse: "places", toMany: true, minCount: 1),
            .relationship("guide", to: "Person"),
        ])
    private static let odd = EntityDescription("Less", superentity: "Nothing")
}
