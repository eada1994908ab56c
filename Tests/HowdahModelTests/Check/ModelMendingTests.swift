import Testing

@testable import HowdahModel

/// Models that Core Data opens, and a store can have after one change.
struct ModelMendingTests {
    private typealias Note = ModelMending.Note

    private static func mend(
        _ entities: EntityDescription..., configurations: [String: [String]] = [:],
        templates: [String: FetchRequestTemplate] = [:]
    ) throws -> (model: ManagedObjectModel, notes: [Note]) {
        var mending = ModelMending(
            entities, configurations: configurations, fetchRequestTemplates: templates)
        return (try mending.model(versionIdentifier: nil), mending.notes)
    }

    private func expect(_ notes: [Note], _ property: String?, _ words: String) {
        #expect(notes.map(\.entity) == ["A"] && notes.map(\.property) == [property], "\(notes)")
        #expect(notes.first?.message.contains(words) == true, "\(notes)")
    }

    private static func index(_ names: String..., where predicate: String? = nil) -> FetchIndexDescription {
        FetchIndexDescription(
            "i", elements: names.map { FetchIndexElement($0) }, partialIndexPredicate: predicate)
    }

    @Test func aModelThatIsSoundStaysAsItIs() throws {
        for seed in UInt64(1)...3 {
            let text = "name\(seed)"
            let entity = EntityDescription(
                "A",
                properties: [
                    .attribute(text, .string, maximumLength: 5), .relationship("b", to: "A", inverse: "as"),
                    .relationship("as", to: "A", inverse: "b", toMany: true, ordered: true),
                ], uniquenessConstraints: [[text]], fetchIndexes: [Self.index(text, "b")])
            let (model, notes) = try Self.mend(entity)
            #expect(notes == [] && model["A"] == entity)
            #expect(
                try model.versionChecksum == ManagedObjectModel(entities: [entity]).versionChecksum)
        }
    }

    @Test func anIndexIsOfTheColumnsThatTheTableHas() throws {
        let other = EntityDescription(
            "B",
            properties: [
                .relationship("a", to: "A", inverse: "bs"),
                .relationship("owner", to: "A", inverse: "only", optional: false),
            ])
        let properties: [PropertyDescription] = [
            .attribute("x", .string), .attribute("memory", .string, transient: true),
            .relationship("bs", to: "B", inverse: "a", toMany: true),
            .relationship("only", to: "B", inverse: "owner"),
        ]
        for name in ["bs", "memory", "gone", "only"] {
            let entity = EntityDescription(
                "A", properties: properties, fetchIndexes: [Self.index("x", name)])
            let (model, notes) = try Self.mend(entity, other)
            expect(notes, nil, "The index i omits \(name). \(name) ")
            #expect(model["A"]?.fetchIndexes == [Self.index("x")])
        }
        let alone = EntityDescription("A", properties: properties, fetchIndexes: [Self.index("bs")])
        let (model, notes) = try Self.mend(alone, other)
        #expect(model["A"]?.fetchIndexes == [])
        expect(
            notes, nil,
            "The index i is ignored: bs has no column in the entity's table. Correct or remove the index.")
    }

    @Test func anIndexHasOneNameAndAPredicateThatTheDatabaseKeeps() throws {
        let x = PropertyDescription.attribute("x", .string)
        let twice = EntityDescription(
            "A", properties: [x], fetchIndexes: [Self.index("x"), Self.index("x")])
        let (model, notes) = try Self.mend(twice)
        expect(
            notes, nil,
            "The entity has two indexes named i. This one is now i_2. Rename one of the two indexes in the model."
        )
        #expect(model["A"]?.fetchIndexes.map(\.name) == ["i", "i_2"])
        let partial = EntityDescription(
            "A", properties: [x], fetchIndexes: [Self.index("x", where: "x ==")])
        let (whole, more) = try Self.mend(partial)
        expect(more, nil, "The index i covers all objects")
        #expect(whole["A"]?.fetchIndexes == [Self.index("x")])
    }

    @Test func anInverseLeadsBackOrThereIsNone() throws {
        let a = EntityDescription(
            "A",
            properties: [
                .relationship("first", to: "B", inverse: "a", toMany: true),
                .relationship("second", to: "B", inverse: "a", toMany: true),
            ])
        let b = EntityDescription("B", properties: [.relationship("a", to: "A", inverse: "first")])
        let (model, notes) = try Self.mend(a, b)
        expect(notes, "second", "refers back to A.first")
        #expect(model.property(named: "second", of: "A")?.relationship?.inverse == nil)
        #expect(model.property(named: "first", of: "A")?.relationship?.inverse == "a")
    }

    @Test func relationshipsHaveCountsThatCanBe() throws {
        let (one, order) = try Self.mend(
            EntityDescription("A", properties: [.relationship("r", to: "A", ordered: true)]))
        expect(order, "r", "Only a to-many relationship can be ordered")
        #expect(one.property(named: "r", of: "A")?.relationship?.isOrdered == false)
        let (few, counts) = try Self.mend(
            EntityDescription(
                "A",
                properties: [.relationship("r", to: "A", toMany: true, minCount: 5, maxCount: 2)]))
        expect(counts, "r", "The minimum count is greater")
        #expect(few.property(named: "r", of: "A")?.relationship?.minCount == 0)
    }

    @Test func rulesThatNothingFulfilsHaveNoEffect() throws {
        let cases: [(AttributeDescription, String)] = [
            (.init("x", .integer16, minimum: 3, maximum: 1), "The minimum is greater"),
            (.init("x", .boolean, minimum: 0), "cannot have a minimum or a maximum"),
            (.init("x", .string, minimumLength: 3, maximumLength: 1), "The minimum length is greater"),
            (.init("x", .integer16, regex: "a"), "Only strings can have a regular expression"),
            (.init("x", .string, regex: "(a"), "is not a valid regular expression"),
        ]
        for (attribute, words) in cases {
            let (model, notes) = try Self.mend(
                EntityDescription("A", properties: [.attribute(attribute)]))
            expect(notes, "x", words)
            #expect(
                model.property(named: "x", of: "A")?.attribute
                    == AttributeDescription("x", attribute.type))
            let pair = CompositeDescription("Pair", [attribute])
            let (_, nested) = try Self.mend(
                EntityDescription("A", properties: [.attribute("pair", .composite(pair))]))
            expect(nested, "pair.x", words)
        }
    }

    @Test func aDerivedAttributeIsNilWithItsSource() throws {
        let (model, notes) = try Self.mend(
            EntityDescription(
                "A",
                properties: [
                    .attribute("x", .string),
                    .attribute("key", .string, optional: false, derivation: "canonical:(x)"),
                ]))
        expect(notes, "key", "The derived attribute is treated as optional")
        #expect(model.property(named: "key", of: "A")?.attribute?.isOptional == true)
    }

    @Test func namesOfWhatIsGoneHaveNoEffect() throws {
        let lost = FetchRequestTemplate(entityName: "Gone")
        let (model, notes) = try Self.mend(
            EntityDescription("A", fetchedProperties: [FetchedPropertyDescription("f", lost)]),
            configurations: ["Some": ["A", "Gone"]], templates: ["all": lost])
        #expect(notes.count == 3, "\(notes)")
        #expect(model["A"]?.fetchedProperties == [] && model.fetchRequestTemplates.isEmpty)
        #expect(model.configurations == ["Some": ["A"]])
    }

    @Test func anEntityThatSharesAnIdentifierKeepsItsName() throws {
        let (model, notes) = try Self.mend(
            EntityDescription("B", renamingIdentifier: "Old"),
            EntityDescription("A", renamingIdentifier: "Old"))
        expect(notes, nil, "Another entity already has the name or renaming identifier \"Old\"")
        #expect(model["B"]?.renamingIdentifier == "Old" && model["A"]?.renamingIdentifier == nil)
    }

    @Test func aConstraintNamesAPropertyOnce() throws {
        let (model, notes) = try Self.mend(
            EntityDescription(
                "A", properties: [.attribute("x", .string)], uniquenessConstraints: [["x", "x"]]))
        expect(notes, nil, "names a property twice")
        #expect(model["A"]?.uniquenessConstraints == [["x"]])
    }

    /// These would store something else than their author expects.
    @Test func whatChangesDataIsRefused() {
        let mistakes: [EntityDescription] = [
            EntityDescription("A", superentity: "Gone"),
            EntityDescription("A", properties: [.relationship("r", to: "Gone")]),
            EntityDescription("A", properties: [.relationship("r", to: "A", inverse: "gone")]),
            EntityDescription("A", properties: [.attribute("x", .string), .attribute("x", .date)]),
            EntityDescription("A", uniquenessConstraints: [["gone"]]),
            EntityDescription(
                "A", properties: [.relationship("r", to: "A", toMany: true)], uniquenessConstraints: [["r"]]),
            EntityDescription("A", properties: [.attribute("x", .string, derivation: "length:(y)")]),
            EntityDescription("A", properties: [.attribute("objectID", .string)]),
            EntityDescription("A", properties: [.attribute("a.b", .string)]),
        ]
        for mistake in mistakes {
            #expect(throws: ModelError.self, "\(mistake)") { try Self.mend(mistake) }
        }
    }
}
