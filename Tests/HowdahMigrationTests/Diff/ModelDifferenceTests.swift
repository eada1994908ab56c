import HowdahMigration
import HowdahModel
import TestSupport
import Testing

/// What two models have in common, and what cannot be inferred; no server.
@Suite struct ModelDifferenceTests {
    private static func difference(
        _ old: [EntityDescription], _ new: [EntityDescription], confirmed: Set<String> = []
    ) throws -> ModelDifference {
        ModelDifference(
            from: try ManagedObjectModel(entities: old), to: try ManagedObjectModel(entities: new),
            confirmedDrops: confirmed)
    }

    @Test func changesAreNamed() throws {
        let difference = try Self.difference(
            [
                entity("Person", [.attribute("name", .string), .attribute("age", .integer16, default: 1)]),
                entity("Gone", [.attribute("x", .date)]),
            ],
            [
                entity(
                    "Human",
                    [
                        .attribute(
                            "fullName", .string, optional: false, default: "", renamingIdentifier: "name"),
                        .attribute("age", .integer32, default: 2), .attribute("born", .date),
                    ], was: "Person", unique: [["fullName"]])
            ])
        #expect(difference.refusals.isEmpty)
        #expect(
            difference.changes.map(\.description) == [
                "Gone removed", "Human renamed: was Person",
                "Human changed: uniqueness constraint (fullName) added",
                "Human.fullName renamed: was Person.name",
                "Human.fullName changed: optional → required, default",
                "Human.age changed: type integer16 → integer32, default", "Human.born added",
            ])
    }

    @Test func everythingThatCannotBeInferredIsNamedAtOnce() throws {
        let place = CompositeDescription("Place", [.init("x", .string)])
        let other = CompositeDescription("Place", [.init("x", .date)])
        let old = [
            entity(
                "A",
                [
                    .attribute("text", .string), .attribute("number", .integer64),
                    .attribute("place", .composite(place)),
                    .relationship("b", to: "B"), .relationship("other", to: "B"),
                ]), entity("B"), entity("C"),
        ]
        let new = [
            entity(
                "A",
                [
                    .attribute("text", .transformable), .attribute("number", .date),
                    .attribute("place", .composite(other)), .attribute("b", .string),
                    .relationship("other", to: "C"),
                ]), entity("B"), entity("C"),
        ]
        let difference = try Self.difference(old, new)
        #expect(
            difference.refusals.map(\.confirmation).sorted() == [
                "A.b", "A.number", "A.other", "A.place.x", "A.text",
            ])
        #expect(
            difference.refusals.first { $0.property == "number" }?.message.hasPrefix(
                "A.number: date cannot hold every value of integer64. Choose a type that can hold all values"
            )
                == true)
        #expect(throws: MigrationError.self) {
            try MigrationPlan(
                from: try ManagedObjectModel(entities: old), to: try ManagedObjectModel(entities: new))
        }
    }

    /// The links are those of the inverse, whatever the other end is called.
    @Test func anotherEndOfTheSameLinksIsNoRename() throws {
        func models(_ name: String, isToMany: Bool, inverse: String) -> [EntityDescription] {
            [
                entity("Note", [.relationship(name, to: "Image", inverse: inverse, toMany: isToMany)]),
                entity("Image", [.relationship(inverse, to: "Note", inverse: name)]),
            ]
        }
        let old = models("image", isToMany: false, inverse: "note")
        #expect(try Self.difference(old, models("images", isToMany: true, inverse: "note")).refusals.isEmpty)
        let both = try Self.difference(old, models("images", isToMany: true, inverse: "notes")).refusals
        #expect(both.map(\.confirmation).sorted() == ["Image.note", "Note.image"])
    }

    /// The inverse goes on and has no links of its own, so that they would be dropped.
    @Test func aRenamedToOneIsAdvisedWhateverItsInverse() throws {
        func models(_ name: String) -> [EntityDescription] {
            [
                entity("A", [.relationship(name, to: "B", inverse: "as")]),
                entity("B", [.relationship("as", to: "A", inverse: name, toMany: true)]),
            ]
        }
        let refusals = try Self.difference(models("owner"), models("theOwner")).refusals
        #expect(refusals.map(\.confirmation) == ["A.owner"])
        #expect(refusals.first?.message.contains("renaming identifier \"owner\"") == true)
    }

    /// Names that are alike and mean two things: nothing is advised.
    @Test(arguments: [
        ("minValue", "maxValue"), ("likes", "dislikes"), ("valid", "invalid"), ("readCount", "unreadCount"),
        ("title", "subtitle"), ("latitude", "longitude"), ("address1", "address2"), ("lineOne", "lineTwo"),
        ("homePhone", "workPhone"), ("lastOpened", "lastClosed"), ("fax", "tax"), ("data", "date"),
        ("count", "country"), ("width", "height"), ("startDate", "endDate"), ("createdAt", "deletedAt"),
    ])
    func otherThingsAreNoRenames(_ old: String, _ new: String) throws {
        let models = [old, new].map {
            [entity("A", [.attribute($0, .string), .attribute("other", .string)])]
        }
        #expect(try Self.difference(models[0], models[1]).refusals.isEmpty)
    }

    @Test(arguments: [
        ("name", "fullName"), ("colour", "color"), ("created_at", "createdAt"), ("recieved", "received"),
        ("done", "isDone"), ("thumbnailData", "thumbnail"), ("urlString", "url"), ("userName", "username"),
        ("priority_raw", "priority"), ("image", "imageData"), ("updatedAt", "updatedDate"),
        ("line1", "lineOne"),
    ])
    func similarNamesAreAdvised(_ old: String, _ new: String) throws {
        let models = [old, new].map {
            [entity("A", [.attribute($0, .string), .attribute("other", .string)])]
        }
        #expect(try Self.difference(models[0], models[1]).refusals.map(\.confirmation) == ["A.\(old)"])
    }

    /// Several that differ by the same words are renamed together, or none of them is.
    @Test(arguments: [
        (["startDate", "endDate"], ["startTime", "endTime"]),
        (["first", "last"], ["firstName", "lastName"]),
        (["userID", "postID"], ["userIdentifier", "postIdentifier"]),
    ])
    func siblingsAreRenamedTogether(_ old: [String], _ new: [String]) throws {
        func model(_ names: [String]) -> [EntityDescription] {
            [entity("A", names.map { .attribute($0, .date) } + [.attribute("other", .string)])]
        }
        let messages = try Self.difference(model(old), model(new)).refusals.map(\.message)
        #expect(messages.count == 2)
        for (old, new) in zip(old, new) {
            #expect(
                messages.contains {
                    $0.hasPrefix("A.\(new): A.\(old) was removed and the similar \(new) was added")
                })
        }
        // Opposites are none, although they differ by the same word.
        let opposed = try Self.difference(
            model(["minWidth", "minHeight"]), model(["maxWidth", "maxHeight"]))
        #expect(opposed.refusals.isEmpty)
        // Two that may be the same one are none.
        let doubled = try Self.difference(model(["startDate"]), model(["startTime", "startHour"])).refusals
        #expect(doubled.isEmpty)
    }

    @Test func whatLooksLikeARenameIsToBeConfirmed() throws {
        let old = [entity("A", [.attribute("name", .string), .attribute("size", .integer32)])]
        let new = [entity("A", [.attribute("fullName", .string), .attribute("size", .integer32)])]
        let refusal = try #require(try Self.difference(old, new).refusals.first)
        #expect(
            refusal.message
                == "A.fullName: A.name was removed and the similar fullName was added. Give fullName the renaming "
                + "identifier \"name\" if fullName is the same property, or confirm that the values of A.name may be dropped."
        )
        #expect(try Self.difference(old, new, confirmed: ["A.name"]).refusals.isEmpty)
    }

    @Test func valuesThatBecomeObjectsAreToBeConfirmed() throws {
        let note = entity("Note", [.attribute("image", .binary), .attribute("text", .string)])
        let parts = [
            entity(
                "Note",
                [
                    .attribute("text", .string),
                    .relationship("images", to: "Image", inverse: "note", toMany: true),
                ]),
            entity(
                "Image", [.attribute("data", .binary), .relationship("note", to: "Note", inverse: "images")]),
        ]
        let refusals = try Self.difference([note], parts).refusals
        #expect(refusals.map(\.confirmation) == ["Note.image"])
        #expect(
            refusals.first?.message.contains(
                "create the new objects in didMigrate of the stage to it") == true)
        #expect(try Self.difference([note], parts, confirmed: ["Note.image"]).refusals.isEmpty)
        let unlike = [
            entity("Note", [.attribute("text", .string), .relationship("tag", to: "Image")]),
            entity("Image", [.attribute("data", .binary)]),
        ]
        #expect(try Self.difference([note], unlike).refusals.isEmpty)
    }

    @Test func anotherStoresModelIsToBeConfirmed() throws {
        let old = [entity("A", [.attribute("x", .string)]), entity("B", [.attribute("y", .date)])]
        let new = [entity("C", [.attribute("z", .uuid)])]
        #expect(try Self.difference(old, new).refusals.map(\.confirmation) == ["A", "B"])
        #expect(try Self.difference(old, new, confirmed: ["A", "B"]).refusals.isEmpty)
        #expect(try Self.difference(old, new + [old[1]]).refusals.isEmpty)
    }

    @Test func entitiesThatLookAlikeAreToBeConfirmed() throws {
        let properties: [PropertyDescription] = [.attribute("name", .string), .attribute("size", .integer32)]
        let refusals = try Self.difference([entity("A", properties)], [entity("B", properties)]).refusals
        #expect(refusals.map(\.confirmation) == ["A"])
    }

    @Test func plansAreTheSameEachTime() throws {
        for step in ModelStep.attributes + ModelStep.relationships + ModelStep.entities {
            let (old, new) = (
                try ManagedObjectModel(entities: step.old()), try ManagedObjectModel(entities: step.new())
            )
            let confirmed = Set(ModelDifference(from: old, to: new).refusals.map(\.confirmation))
            let first = try MigrationPlan(from: old, to: new, confirmedDrops: confirmed)
            for _ in 0..<3 {
                #expect(
                    try MigrationPlan(from: old, to: new, confirmedDrops: confirmed).json == first.json,
                    "\(step)")
            }
            let same = try MigrationPlan(from: old, to: old)
            #expect(same.steps.isEmpty, "\(step): \(same)")
        }
    }
}
