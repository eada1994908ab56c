import HowdahModel
import Testing

struct ModelWarningsTests {
    private static func warnings(_ entities: EntityDescription...) throws -> [ModelIssue] {
        try ManagedObjectModel(entities: entities).warnings
    }

    private static func warnings(_ properties: PropertyDescription...) throws -> [ModelIssue] {
        try warnings(EntityDescription("A", properties: properties))
    }

    private func expect(
        _ issues: [ModelIssue], _ code: ModelIssue.Code, _ property: String?, _ parts: String...,
        location: SourceLocation = #_sourceLocation
    ) {
        #expect(issues.map(\.code) == [code], sourceLocation: location)
        #expect(issues.first?.property == property, sourceLocation: location)
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

    @Test func attributesAreLookedAt() throws {
        expect(try Self.warnings(.attribute("x", .undefined)), .untypedAttribute, "x", "type")
        expect(
            try Self.warnings(.attribute("x", .integer16, optional: false)), .requiredWithoutDefault, "x",
            "default")
        expect(
            try Self.warnings(.attribute("x", .string, regex: "(?=look)ahead")), .patternInMemoryOnly, "x",
            "simplify")
        let empty = CompositeDescription("Empty", [])
        expect(try Self.warnings(.attribute("x", .composite(empty))), .emptyComposite, "x", "add one")
        let pair = CompositeDescription("Pair", [.init("a", .double, optional: false)])
        expect(
            try Self.warnings(.attribute("x", .composite(pair), optional: false)), .requiredWithoutDefault,
            "x.a")
        #expect(try Self.warnings(.attribute("x", .composite(pair))).isEmpty)
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
        expect(try warnings(.nullify, toMany: true, backOptional: false), .nullifyIntoRequired, "b", "B.a")
        #expect(try warnings(.deny, toMany: true, backOptional: false).isEmpty)
        expect(try warnings(.cascade, toMany: true, backToMany: true), .sharedCascade, "b", "B.a")
        expect(try warnings(.cascade, toMany: false, backToMany: true), .sharedCascade, "b", "B.a")
        #expect(try warnings(.cascade, toMany: true).isEmpty)
        expect(try warnings(.noAction, toMany: true), .noForeignKey, "b", "nullify")
        expect(try Self.warnings(.relationship("r", to: "A")), .missingInverse, "r", "add one to A")
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
        #expect(model.warnings.map(\.property) == ["near", nil])
        #expect(model.warnings[1].message.contains("fetch request t"))
    }
}

@Suite struct FetchRequestWarningTests {
    @Test func whatFetchesDoNotDoIsTold() throws {
        var template = FetchRequestTemplate(entityName: "A")
        template.fetchBatchSize = 20
        template.resultType = .dictionaries
        template.returnsDistinctResults = true
        let model = try ManagedObjectModel(
            entities: [EntityDescription("A")],
            fetchRequestTemplates: ["all": template, "fine": .init(entityName: "A")])
        let warning = try #require(model.warnings.first)
        #expect(model.warnings.count == 1 && warning.code == .requestOptionIgnored)
        for part in ["fetch request all", "batch size", "result type", "distinct"] {
            #expect(warning.message.contains(part), "\(warning)")
        }
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
        #expect(error?.issues.map(\.code) == [.invalidIndex] && error?.issues.first?.property == "tags")
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
