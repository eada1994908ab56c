import HowdahModel
import Testing

struct ModelWarningsTests {
    private static func warnings(_ entities: EntityDescription...) throws -> [ModelIssue] {
        try ManagedObjectModel(entities: entities).warnings
    }

    private static func warnings(_ properties: PropertyDescription...) throws -> [ModelIssue] {
        try warnings(EntityDescription("A", properties: properties))
    }

    @Test func keysThatAreNearlyOursAreTold() throws {
        let composite = CompositeDescription(
            "C", [AttributeDescription("y", .string, userInfo: ["Howdah.column": "z"])])
        let warnings = try Self.warnings(
            EntityDescription(
                "A",
                properties: [
                    .attribute(
                        "x", .string,
                        userInfo: [
                            "howdah.colum": "z", "note": "howdah.", "howdah.column": "w",
                            "howdah.sensitive": "true",
                        ]),
                    .attribute("c", .composite(composite)),
                ], userInfo: ["howdah.tabel": "t"]))
        #expect(warnings.map(\.code) == [.unknownMappingKey, .unknownMappingKey, .unknownMappingKey])
        #expect(warnings.map(\.propertyName) == [nil, "x", "c.y"])
        #expect(warnings[1].message.contains("Howdah has no userInfo key \"howdah.colum\""))
    }

    private func expect(
        _ issues: [ModelIssue], _ code: ModelIssue.Code, _ property: String?, _ parts: String...,
        location: SourceLocation = #_sourceLocation
    ) {
        #expect(issues.map(\.code) == [code], sourceLocation: location)
        #expect(issues.first?.propertyName == property, sourceLocation: location)
        for part in parts {
            #expect(issues.first?.message.contains(part) == true, "\(issues)", sourceLocation: location)
        }
    }

    @Test func aCleanModelHasNone() throws {
        let pair = CompositeDescription("Pair", [.init("a", .double, optional: false, default: 0)])
        let model = try ManagedObjectModel(
            entities: [
                EntityDescription(
                    "A",
                    properties: [
                        .attribute("name", .string, optional: false, default: "", regex: "[a-z]*"),
                        .attribute("note", .string), .attribute("hint", .undefined, transient: true),
                        .attribute("pair", .composite(pair), optional: false),
                        .relationship("bs", to: "B", inverse: "a", toMany: true, deleteRule: .cascade),
                        .relationship("cs", to: "B", inverse: "cas", toMany: true),
                    ],
                    fetchIndexes: [
                        FetchIndexDescription(
                            "i", elements: [FetchIndexElement("name")], partialIndexPredicate: "note != nil")
                    ]),
                EntityDescription(
                    "B",
                    properties: [
                        .relationship("a", to: "A", inverse: "bs", optional: false),
                        .relationship("cas", to: "A", inverse: "cs", toMany: true, deleteRule: .deny),
                    ]),
            ], fetchRequestTemplates: ["all": .init(entityName: "A", predicateFormat: "name == $NAME")])
        #expect(model.warnings == [])
    }

    @Test("A preserved attribute needs a column, and an element cannot be preserved alone")
    func preservationIsLookedAt() throws {
        expect(
            try Self.warnings(
                .attribute("x", .string, transient: true, preservesValueInHistoryOnDeletion: true)),
            .unpreservedValue, "x", "is not stored", "Store the attribute")
        let pair = CompositeDescription(
            "Pair", [.init("a", .double, preservesValueInHistoryOnDeletion: true)])
        expect(
            try Self.warnings(.attribute("p", .composite(pair))), .unpreservedValue, "p.a",
            "Set it on the composite attribute")
        let plain = CompositeDescription("Pair", [.init("a", .double)])
        #expect(
            try Self.warnings(
                .attribute("x", .string, preservesValueInHistoryOnDeletion: true),
                .attribute("p", .composite(plain), preservesValueInHistoryOnDeletion: true)) == [])
    }

    @Test func attributesAreLookedAt() throws {
        expect(try Self.warnings(.attribute("x", .undefined)), .untypedAttribute, "x", "type")
        expect(
            try Self.warnings(.attribute("x", .string, regex: "(?=look)ahead")), .patternInMemoryOnly, "x",
            "Simplify the pattern")
        expect(
            try Self.warnings(
                .attribute("x", .string, renamingIdentifier: "w"),
                .attribute("y", .string, renamingIdentifier: "w")),
            .sharedIdentifier, "y", "Remove the renaming identifier from x or y")
        let empty = CompositeDescription("Empty", [])
        expect(
            try Self.warnings(.attribute("x", .composite(empty))), .emptyComposite, "x",
            "Add a stored element")
    }

    /// The class may give the value, and often only the program can.
    @Test func aRequiredAttributeWithoutADefaultIsNoWarning() throws {
        #expect(try Self.warnings(.attribute("x", .date, optional: false)).isEmpty)
    }

    @Test func defaultsThatBreakTheirRulesAreTold() throws {
        let code = ModelIssue.Code.invalidDefaultForRules
        expect(try Self.warnings(.attribute("x", .integer16, default: 0, minimum: 1)), code, "x", "below")
        expect(try Self.warnings(.attribute("x", .double, default: 2, maximum: 1.5)), code, "x", "exceeds")
        expect(
            try Self.warnings(.attribute("x", .string, default: "", minimumLength: 1)), code, "x", "shorter")
        // Two UTF-16 units.
        expect(
            try Self.warnings(.attribute("x", .string, default: "\u{1F600}", maximumLength: 1)), code, "x",
            "longer")
        expect(
            try Self.warnings(.attribute("x", .string, default: "A", regex: "[a-z]")), code, "x", "pattern")
        let long = Value.string(String(repeating: "x", count: 10_000))
        expect(
            try Self.warnings(.attribute("x", .string, default: long, regex: "(x+x+)+y")), code, "x",
            "does not match the pattern")
        let issues = try Self.warnings(.attribute("x", .string, default: long, regex: "(x+x+)+\\1y"))
        expect(
            issues.filter { $0.code == code }, code, "x", "takes too long to match against the pattern")
        let pair = CompositeDescription("Pair", [.init("a", .double, minimum: 0)])
        expect(
            try Self.warnings(.attribute("x", .composite(pair), default: .composite([-1]))), code, "x.a",
            "below")
        #expect(
            try Self.warnings(
                .attribute("x", .integer16, default: 1, minimum: 1, maximum: 1),
                .attribute("y", .string, default: "ab", minimumLength: 2, maximumLength: 2, regex: "[a-z]+"),
                .attribute("z", .string, transient: true, minimumLength: 2)
            ).isEmpty)
    }

    @Test func deletionsAreLookedAt() throws {
        func warnings(
            _ rule: DeleteRule, toMany: Bool, backToMany: Bool = false, backOptional: Bool = true
        ) throws -> [ModelIssue] {
            try Self.warnings(
                EntityDescription(
                    "A",
                    properties: [
                        .relationship("b", to: "B", inverse: "a", toMany: toMany, deleteRule: rule)
                    ]),
                EntityDescription(
                    "B",
                    properties: [
                        .relationship("a", to: "A", inverse: "b", toMany: backToMany, optional: backOptional)
                    ]))
        }
        expect(
            try warnings(.nullify, toMany: true, backOptional: false), .nullifyIntoRequired, "b", "B.a",
            "set the delete rule of A.b to cascade")
        #expect(try warnings(.deny, toMany: true, backOptional: false).isEmpty)
        expect(try warnings(.cascade, toMany: true, backToMany: true), .sharedCascade, "b", "B.a")
        expect(try warnings(.cascade, toMany: false, backToMany: true), .sharedCascade, "b", "B.a")
        #expect(try warnings(.cascade, toMany: true).isEmpty)
        expect(try warnings(.noAction, toMany: true), .noForeignKey, "b", "nullify")
        expect(try Self.warnings(.relationship("r", to: "A")), .missingInverse, "r", "Add an inverse to A")
    }

    @Test func indexesAndRequestsAreLookedAt() throws {
        func warnings(_ index: FetchIndexDescription) throws -> [ModelIssue] {
            try Self.warnings(
                EntityDescription("A", properties: [.attribute("x", .double)], fetchIndexes: [index]))
        }
        expect(
            try warnings(
                FetchIndexDescription(
                    "i", elements: [FetchIndexElement("x")], partialIndexPredicate: "x IN $list")),
            .indexPredicateNotLowered, nil, "index i")
        expect(
            try warnings(FetchIndexDescription("i", on: "x", method: .gist)), .indexMethodReplaced, nil,
            "B-tree"
        )
        let model = try ManagedObjectModel(
            entities: [
                EntityDescription(
                    "A", properties: [.attribute("x", .double)],
                    fetchedProperties: [.init("near", .init(entityName: "A", predicateFormat: "x <<"))])
            ], fetchRequestTemplates: ["t": .init(entityName: "A", predicateFormat: "x ==")])
        #expect(model.warnings.map(\.code) == [.unreadablePredicate, .unreadablePredicate])
        #expect(model.warnings.map(\.propertyName) == ["near", nil])
        #expect(model.warnings[1].message.contains("fetch request t"))
    }

    @Test(arguments: [
        ("nothing == 1", "A has no property \"nothing\""),
        ("a == 1 OR NOT (b.nothing == $X)", "B has no property"),
        ("x.y == 1", "a key path ends there"), ("memory == 1", "not stored"),
        ("pair.c == 1", "no element \"c\""),
        ("b.@count == 1", "no count"), ("1 IN {2, 3} AND x < y", "A has no property \"y\""),
    ])
    func keyPathsOfRequestsAreFollowed(_ format: String, _ reason: String) throws {
        let found = try Self.requestWarnings(format)
        expect(found, .unresolvedKeyPath, nil, "fetch request t", reason)
    }

    @Test(arguments: [
        "x == $X AND b.a.x > 1", "ANY bs.a.x == 1 AND bs.@count > 0", "pair.a == 1", "list.@count == 1",
        "json.what.ever == 1", "SELF == $OBJECT AND b == nil",
        "entity.name == 'A' AND b.entity == 'B' AND entity.lineage CONTAINS 'A'",
    ])
    func keyPathsThatCanBeFollowedAreFine(_ format: String) throws {
        #expect(try Self.requestWarnings(format) == [])
    }

    private static func requestWarnings(_ format: String) throws -> [ModelIssue] {
        let pair = CompositeDescription("Pair", [.init("a", .double)])
        return try ManagedObjectModel(
            entities: [
                EntityDescription(
                    "A",
                    properties: [
                        .attribute("a", .integer16), .attribute("x", .double),
                        .attribute("memory", .double, transient: true), .attribute("pair", .composite(pair)),
                        .attribute("list", .array(of: .string)),
                        .attribute("json", .transformable, userInfo: [MappingKey.jsonb: "true"]),
                        .relationship("b", to: "B", inverse: "a"),
                        .relationship("bs", to: "B", inverse: "as", toMany: true),
                    ]),
                EntityDescription(
                    "B",
                    properties: [
                        .relationship("a", to: "A", inverse: "b"),
                        .relationship("as", to: "A", inverse: "bs", toMany: true),
                    ]),
            ], fetchRequestTemplates: ["t": .init(entityName: "A", predicateFormat: format)]
        ).warnings
    }
}

@Suite struct FetchRequestWarningTests {
    @Test func whatFetchedPropertiesDoNotDoIsTold() throws {
        var template = FetchRequestTemplate(entityName: "A")
        template.fetchBatchSize = 20
        template.resultType = .dictionaries
        template.returnsDistinctResults = true
        let model = try ManagedObjectModel(
            entities: [
                EntityDescription(
                    "A", fetchedProperties: [FetchedPropertyDescription("all", template)])
            ],
            fetchRequestTemplates: ["all": template, "fine": .init(entityName: "A")])
        let warning = try #require(model.warnings.first)
        #expect(model.warnings.count == 1 && warning.code == .requestOptionIgnored)
        #expect(warning.propertyName == "all" && warning.message.contains("result type"), "\(warning)")
        let request: FetchRequest<Any> = try model.fetchRequest(fromTemplate: "all")
        #expect(request.fetchBatchSize == 20 && request.resultType == .dictionaries)
        #expect(request.returnsDistinctResults)
    }

    @Test func whatFetchesDoIsTakenOver() throws {
        var template = FetchRequestTemplate(entityName: "A", predicateFormat: "name == $NAME")
        template.fetchLimit = 3
        template.includesSubentities = false
        template.includesPropertyValues = false
        template.returnsObjectsAsFaults = false
        template.sortDescriptors = [.key("name", ascending: false)]
        let model = try ManagedObjectModel(
            entities: [EntityDescription("A", properties: [.attribute("name", .string)])],
            fetchRequestTemplates: ["some": template])
        let request: FetchRequest<Int> = try model.fetchRequest(
            fromTemplate: "some", substituting: ["NAME": "x"])
        #expect(request.fetchLimit == 3 && !request.includesSubentities && !request.includesPropertyValues)
        #expect(!request.returnsObjectsAsFaults)
        #expect(request.sortDescriptors == [.key("name", ascending: false)])
        #expect(request.predicate?.description == "name == 'x'")
        #expect(try ManagedObjectModel(canonicalJSON: model.canonicalJSON) == model)
    }

    @Test(arguments: [FetchIndexDescription.Method.btree, .brin, .gist])
    func arraysHaveNoOrderedIndex(method: FetchIndexDescription.Method) throws {
        func model(_ method: FetchIndexDescription.Method) throws -> ManagedObjectModel {
            try ManagedObjectModel(entities: [
                EntityDescription(
                    "A", properties: [.attribute("tags", .array(of: .string))],
                    fetchIndexes: [FetchIndexDescription("tags", on: "tags", method: method)])
            ])
        }
        let error = #expect(throws: ModelError.self) { try model(method) }
        #expect(error?.code == .invalidModel)
        #expect(error?.issues.map(\.code) == [.invalidIndex] && error?.issues.first?.propertyName == "tags")
        #expect(error?.message.contains("gin") == true)
        #expect(throws: Never.self) { try StoreSchema(model(.gin)) }
    }

    @Test func fetchedPropertiesShareNamesWithNothing() throws {
        func model(_ name: String, of entity: String) throws -> ManagedObjectModel {
            let fetched = FetchedPropertyDescription("found", .init(entityName: "A"))
            return try ManagedObjectModel(entities: [
                EntityDescription("A", fetchedProperties: [fetched]),
                EntityDescription(
                    "B", superentity: "A",
                    properties: entity == "property" ? [.attribute(name, .string)] : [],
                    fetchedProperties: entity == "fetched" ? [.init(name, .init(entityName: "A"))] : []),
            ])
        }
        for kind in ["property", "fetched"] {
            let error = #expect(throws: ModelError.self) { try model("found", of: kind) }
            #expect(error?.issues.map(\.code) == [.duplicateName])
            #expect(throws: Never.self) { try model("other", of: kind) }
        }
    }
}
