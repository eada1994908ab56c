/// The modules and their rooms, each after those that it may name.
enum House {
    /// A room that stands beside another, as none of the two may name the other, comes in one group with it.
    static let rooms: [(module: String, rooms: [[String]])] = [
        (
            "PQClient",
            [
                ["Failure"], ["Codec"], ["SQLText"], ["Statement"], ["Result"], ["Connection"],
                ["Pool", "Copy"],
            ]
        ),
        (
            "HowdahModel",
            [
                ["Value"], ["Identity"], ["History"], ["Text"], ["Predicate"], ["Model"], ["Tables"],
                ["Check"],
                ["Request"],
                ["MappingModel"],
            ]
        ),
        ("HowdahSchema", [["Render"], ["Catalogue"], ["Record"], ["Existing", "Compare"]]),
        (
            "HowdahMigration",
            [
                ["Failure"], ["Diff"], ["Plan"], ["Path"], ["Lint"], ["Run"], ["Rehearse"],
                ["History"], ["Doctor"], ["Pull"],
            ]
        ),
        (
            "HowdahRuntime",
            [
                ["Failure"], ["Layout"], ["Row"], ["Attribute"], ["Object"], ["Store"], ["Work"], ["Context"],
                ["Fetch", "Save"], ["Database"], ["Batch"], ["Key"], ["Bytes"], ["Merge"], ["Undo"],
                ["Child"],
                ["History"],
                ["Live"],
                ["Handle"],
                ["Container"],
            ]
        ),
        ("HowdahStages", [["Version"], ["Mapped"], ["Stage"], ["Opening"]]),
        ("HowdahJSON", [["Failure"], ["Problem"], ["JSON"], ["Key"], ["Import", "Export"]]),
        (
            "HowdahBrowse",
            [
                ["Markup"], ["Request"], ["Script"], ["Store"], ["Page"], ["Objects"],
                ["Object", "Entities", "Structure", "Operate"], ["Site"],
            ]
        ),
        ("HowdahModelFile", [["Failure"], ["Document", "JSON"], ["Reading"], ["Bundle"], ["MappingModel"]]),
        ("HowdahGeneration", [["Names"], ["Plan"], ["Emit"]]),
        ("HowdahDiagram", [["Content"], ["Layout"], ["Drawing", "Mermaid"]]),
        ("HowdahMacros", [["Parse"], ["Diagnose"], ["Emit"], ["Macros"]]),
        ("HowdahSampleData", [["Value"], ["Plan"], ["Insert"]]),
        ("LocalPostgres", [["Process"], ["Installation"], ["Cluster"]]),
        ("HowdahCommands", [["Output"], ["PlanFile"], ["Commands"]]),
    ]

    /// The modules that have no rooms.
    static let small: Set<String> = [
        "CLibPQ", "Howdah", "HowdahBrowseServer", "HowdahGenerateTool", "HowdahNames", "HowdahTesting",
        "HowdahTestingTraits", "HowdahTool",
    ]

    /// The room of the files in a module's root, which is above all others.
    static let root = "."

    /// Names that only look like a member of a later room: Swift, Foundation or C declares them too, or they are labels
    /// of arguments or parameters that are called.
    static let homonyms: Set<String> = [
        "true", "false", "get", "set", "any", "type", "error", "package", "Instant", "deallocate", "endIndex",
        "startIndex",
        "inserted", "accessors", "seconds", "transform", "undo", "prepare", "Rows", "firstIndex", "hasPrefix",
        "last",
        "popFirst", "shutdown", "mayHaveWritten", "ofCommand", "ofTable", "append", "contains", "count",
        "decode",
        "description", "drop", "dropped", "filter", "insert", "isEmpty", "join", "joined", "map", "open",
        "parse",
        "path", "prefix", "notice", "replacing", "store", "properties", "remove", "reversed", "rounded",
        "value",
        "values",
    ]

    /// The one name of Object that Failure may say: as the type of a field, `ObjectID<ManagedObject>`.
    static let identifier = "ObjectID<ManagedObject>"
}
