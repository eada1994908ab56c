import Foundation
import HowdahModel

/// Models that each have one construct, or a few that meet.
enum SmallModels {
    static let all: [(name: String, entities: [EntityDescription])] = [
        ("attributes", [attributes(optional: true), attributes(optional: false)]),
        ("bounds", [bounds]), ("composites", [composites]), ("relationships", relationships),
        ("required cycle", cycle), ("hierarchy", hierarchy), ("one to one", oneToOne), ("unique", unique),
        ("unset", [unset]), ("ordered", ordered), ("own inverse", ownInverse), ("counts", counts),
        ("case-insensitive", [caseInsensitive]),
        ("empty", []),
    ]

    static let types: [(String, AttributeType)] = [
        ("i16", .integer16), ("i32", .integer32), ("i64", .integer64), ("dec", .decimal), ("dbl", .double),
        ("flt", .float), ("str", .string), ("flag", .boolean), ("date", .date), ("bin", .binary),
        ("uid", .uuid), ("uri", .uri), ("any", .transformable),
    ]

    static func attributes(optional: Bool) -> EntityDescription {
        EntityDescription(
            optional ? "Optional" : "Required",
            properties: types.map { .attribute($0, $1, optional: optional) } + [
                .attribute("json", .transformable, optional: optional, userInfo: ["howdah.jsonb": "true"]),
                .attribute("word", .string, optional: optional, default: "given"),
            ]
                + types.dropLast().map {
                    .attribute($0 + "s", .array(of: $1), optional: optional)
                })
    }

    static let bounds = EntityDescription(
        "Bounded",
        properties: [
            .attribute("i16", .integer16, minimum: -3, maximum: 3),
            .attribute("i32", .integer32, minimum: 5),
            .attribute("i64", .integer64, maximum: -5),
            .attribute("dec", .decimal, optional: false, minimum: "0.10", maximum: "99999.99"),
            .attribute("decMin", .decimal, minimum: "-0.5"),
            .attribute("dbl", .double, optional: false, minimum: 0.1, maximum: 0.3),
            .attribute("dblMax", .double, maximum: -1e300),
            .attribute("flt", .float, optional: false, minimum: 0.1, maximum: 0.3),
            .attribute("fltMin", .float, minimum: 16_777_216.0),
            .attribute("date", .date, minimum: .date(.init(timeIntervalSince1970: 0.000_001))),
            .attribute("short", .string, optional: false, minimumLength: 2, maximumLength: 3),
            .attribute("exact", .string, optional: false, minimumLength: 7, maximumLength: 7),
            .attribute("long", .string, minimumLength: 12_000),
            .attribute("none", .string, maximumLength: 0),
            .attribute("plate", .string, optional: false, regex: "[A-Z]{1,3}-[A-Z]{2} [1-9]\\d{0,3}"),
            .attribute("mail", .string, minimumLength: 20, regex: "^\\w+(\\.\\w+)*@([^@\\s]+\\.)+(org|com)$"),
            .attribute("size", .string, optional: false, allowedValues: ["S", "M", "L"]),
        ])

    static let composites: EntityDescription = {
        let spot = AttributeType.composite(
            CompositeDescription(
                "Spot",
                [AttributeDescription("x", .double, optional: false), AttributeDescription("y", .float)]))
        let place = AttributeType.composite(
            CompositeDescription(
                "Place",
                [
                    AttributeDescription("draft", .string, transient: true),
                    AttributeDescription("name", .string), AttributeDescription("spot", spot),
                    AttributeDescription("memory", .string, transient: true),
                ]))
        return EntityDescription(
            "Placed",
            properties: [
                .attribute("spot", spot, optional: false), .attribute("maybe", spot),
                .attribute("place", place, optional: false), .attribute("elsewhere", place),
            ])
    }()

    /// Few texts that differ by more than case, alone, beside a number, and in a composite.
    static let caseInsensitive: EntityDescription = {
        let name = AttributeType.composite(
            CompositeDescription(
                "Name",
                [
                    AttributeDescription("first", .string, caseInsensitive: true, regex: "[aAbB]{1,2}"),
                    AttributeDescription("last", .string, regex: "[cC]"),
                ]))
        return EntityDescription(
            "Loose",
            properties: [
                .attribute("code", .string, caseInsensitive: true, regex: "[a-cA-C]{1,3}"),
                .attribute(
                    "mark", .string, caseInsensitive: true, allowedValues: ["x", "X", "ß", "SS", "y"]),
                .attribute("number", .integer16, optional: false, minimum: 1, maximum: 9),
                .attribute("name", name),
            ], uniquenessConstraints: [["code"], ["mark", "number"], ["name"]])
    }()

    static let relationships = [
        EntityDescription(
            "Employee",
            properties: [
                .attribute("name", .string),
                .relationship("department", to: "Department", inverse: "employees", optional: false),
                .relationship("manager", to: "Employee", inverse: "reports"),
                .relationship("reports", to: "Employee", inverse: "manager", toMany: true),
                .relationship("projects", to: "Project", inverse: "members", toMany: true),
                .relationship("friends", to: "Employee", inverse: "friendOf", toMany: true),
                .relationship("friendOf", to: "Employee", inverse: "friends", toMany: true),
                .relationship("room", to: "Room"), .relationship("keys", to: "Room", toMany: true),
                .relationship("memory", to: "Room", transient: true),
            ]),
        EntityDescription(
            "Department",
            properties: [
                .relationship(
                    "employees", to: "Employee", inverse: "department", toMany: true, optional: false)
            ]),
        EntityDescription(
            "Project",
            properties: [.relationship("members", to: "Employee", inverse: "projects", toMany: true)]),
        EntityDescription("Room"),
    ]

    static let cycle = [
        EntityDescription(
            "Hen", properties: [.relationship("egg", to: "Egg", inverse: "layer", optional: false)]),
        EntityDescription(
            "Egg",
            properties: [
                .relationship("layer", to: "Hen", inverse: "egg", optional: false),
                .relationship("nest", to: "Nest", inverse: "eggs", optional: false),
            ]),
        EntityDescription(
            "Nest",
            properties: [
                .relationship("eggs", to: "Egg", inverse: "nest", toMany: true),
                .relationship("owner", to: "Hen", optional: false),
                .relationship("next", to: "Nest", optional: false),
            ]),
    ]

    static let hierarchy = [
        EntityDescription(
            "Asset", abstract: true,
            properties: [
                .attribute("serial", .string, optional: false), .attribute("note", .string),
                .relationship("owner", to: "Party", inverse: "assets", optional: false),
            ], uniquenessConstraints: [["serial"]]),
        EntityDescription(
            "Car", superentity: "Asset", properties: [.attribute("wheels", .integer16, optional: false)]),
        EntityDescription(
            "Van", superentity: "Car",
            properties: [
                .attribute("load", .integer16, optional: false, minimum: 1, maximum: 40),
                .relationship("drivers", to: "Party", toMany: true),
            ], uniquenessConstraints: [["load"], ["note"]]),
        EntityDescription("House", superentity: "Asset"),
        EntityDescription(
            "Party", abstract: true,
            properties: [.relationship("assets", to: "Asset", inverse: "owner", toMany: true)]),
        EntityDescription("Person", superentity: "Party"), EntityDescription("Firm", superentity: "Party"),
    ]

    static let oneToOne = [
        EntityDescription(
            "Citizen",
            properties: [
                .relationship("passport", to: "Passport", inverse: "holder", deleteRule: .cascade),
                .relationship("spouse", to: "Citizen", inverse: "spouseOf"),
                .relationship("spouseOf", to: "Citizen", inverse: "spouse"),
            ]),
        EntityDescription(
            "Passport",
            properties: [.relationship("holder", to: "Citizen", inverse: "passport", optional: false)]),
    ]

    static let unique = [
        EntityDescription(
            "Course",
            properties: types.map { .attribute($0, $1, optional: $0 == "flag") },
            uniquenessConstraints: types.map { [$0.0] } + [["flag", "i16"]]),
        EntityDescription(
            "Seat",
            properties: [
                .attribute("number", .integer16, optional: false, minimum: 1, maximum: 2),
                .attribute("flag", .boolean), .relationship("course", to: "Course", optional: false),
                .relationship("other", to: "Course", inverse: nil),
            ], uniquenessConstraints: [["course", "number"], ["course", "other"]]),
        EntityDescription(
            "Chair",
            properties: [
                .relationship("course", to: "Course", optional: false),
                .relationship("seat", to: "Seat", optional: false),
            ], uniquenessConstraints: [["course"], ["course", "seat"]]),
    ]

    static let ordered = [
        EntityDescription(
            "List",
            properties: [
                .relationship("items", to: "Item", inverse: "list", toMany: true, ordered: true),
                .relationship("tags", to: "Item", inverse: "lists", toMany: true, ordered: true),
                .relationship("seen", to: "Item", toMany: true, ordered: true),
            ]),
        EntityDescription(
            "Item",
            properties: [
                .relationship("list", to: "List", inverse: "items"),
                .relationship("lists", to: "List", inverse: "tags", toMany: true, ordered: true),
            ]),
    ]

    static let ownInverse = [
        EntityDescription(
            "Person",
            properties: [
                .relationship("spouse", to: "Person", inverse: "spouse"),
                .relationship("friends", to: "Person", inverse: "friends", toMany: true),
            ])
    ]

    static let counts = [
        EntityDescription(
            "Team",
            properties: [
                .relationship(
                    "players", to: "Player", inverse: "team", toMany: true, minCount: 2, maxCount: 4),
                .relationship("fans", to: "Player", inverse: "idols", toMany: true, minCount: 1, maxCount: 3),
            ]),
        EntityDescription(
            "Player",
            properties: [
                .relationship("team", to: "Team", inverse: "players", optional: false),
                .relationship("idols", to: "Team", inverse: "fans", toMany: true, maxCount: 2),
            ]),
    ]

    /// Attributes that nobody sets.
    static let unset = EntityDescription(
        "Unset",
        properties: [
            .attribute("name", .string), .attribute("memory", .string, transient: true),
            .attribute("void", .undefined), .attribute("savedAt", .date, derivation: "now()"),
        ])
}
