import Testing

@testable import HowdahModel

struct MappingValidationTests {
    private static func issues(_ mappings: [EntityMapping]) throws -> [MappingIssue] {
        let source = try #require(MappingModelTests.source)
        let destination = try #require(MappingModelTests.destination)
        do throws(MappingModelError) {
            _ = try MappingModel(entityMappings: mappings).resolved(from: source, to: destination)
            return []
        } catch {
            return error.issues
        }
    }

    /// The issues of a sound model with one mapping changed.
    private static func issues(
        _ place: Int = 0, _ change: (inout EntityMapping) throws -> Void
    ) throws -> [MappingIssue] {
        var mappings = MappingModelTests.sound.entityMappings
        try change(&mappings[place])
        return try issues(mappings)
    }

    private func expect(
        _ issues: [MappingIssue], _ code: MappingIssue.Code, _ parts: String...,
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(issues.map(\.code) == [code], "\(issues)", sourceLocation: location)
        for part in parts {
            #expect(
                issues.first?.message.contains(part) == true, "\(issues) without \(part)",
                sourceLocation: location)
        }
    }

    @Test func namesThatAreNotThereAreTold() throws {
        expect(
            try Self.issues { $0.attributeMappings[1].name = "sise" }, .unknownProperty,
            "BoxToCrate.sise: Crate in the destination model", "Did you mean size?")
        expect(
            try Self.issues { $0.attributeMappings[0].valueExpression = .source("titel") },
            .unknownProperty, "BoxToCrate.label: Box in the source model", "Did you mean title?")
        expect(
            try Self.issues { $0.attributeMappings[0].valueExpression = .source("shelf.labels") },
            .unknownProperty, "Shelf in the source model", "Did you mean label?")
        expect(
            try Self.issues(4) { $0.destinationEntityName = "Rooms" }, .unknownEntity,
            "The destination model has no entity Rooms. Did you mean Room?")
        expect(
            try Self.issues(5) { $0.sourceEntityName = "Celar" }, .unknownEntity,
            "The source model has no entity Celar. Did you mean Cellar?")
        expect(
            try Self.issues {
                $0.attributeMappings[0].valueExpression = try MappingExpression(format: "$surce.title")
            }, .unknownVariable, "Did you mean source?")
        expect(
            try Self.issues(1) {
                $0.relationshipMappings[0].valueExpression = .destinationInstances(
                    forEntityMappingNamed: "BoxToCrat", sourceInstances: .source("boxes"))
            }, .unknownMapping, "Did you mean BoxToCrate?")
        expect(
            try Self.issues(1) {
                $0.relationshipMappings[0].valueExpression = .destinationInstances(
                    forSourceRelationshipNamed: "boxen", sourceInstances: .source("boxes"))
            }, .unknownMapping, "Did you mean boxes?")
    }

    @Test func typesThatDoNotFitAreTold() throws {
        func issues(label format: String) throws -> [MappingIssue] {
            try Self.issues {
                $0.attributeMappings[0].valueExpression = try MappingExpression(format: format)
            }
        }
        func issues(size format: String) throws -> [MappingIssue] {
            try Self.issues {
                $0.attributeMappings[1].valueExpression = try MappingExpression(format: format)
            }
        }
        expect(try issues(label: "$source.size"), .typeMismatch, "size is of the type integer16")
        expect(try issues(label: "4"), .typeMismatch, "4 is not a value of the type string")
        expect(try issues(label: "NULL"), .typeMismatch, "must have a value")
        expect(try issues(label: "$source.shelf"), .typeMismatch, "evaluates to objects")
        expect(try issues(label: "$source.items.name"), .typeMismatch, "crosses a to-many")
        expect(
            try issues(label: "$source.title.length"), .unknownProperty, "a key path cannot continue after it"
        )
        expect(try issues(size: "100000000000"), .typeMismatch, "integer32")
        for format in ["$source.inside.width", "$source.items.@count", "7", "TRUE", "$source.size * 2"] {
            #expect(try issues(size: format).isEmpty, "\(format)")
        }
        #expect(try issues(label: "uppercase:($source.title)").isEmpty)
        expect(
            try issues(size: "$source.size + $source.nothing"), .unknownProperty, "no property nothing")
        expect(
            try issues(size: "SUBQUERY($source.items, $i, $i.weight > $x).@count"), .unknownVariable, "$x")
    }

    @Test func objectsThatDoNotFitAreTold() throws {
        func issues(shelf expression: MappingExpression) throws -> [MappingIssue] {
            try Self.issues { $0.relationshipMappings[0].valueExpression = expression }
        }
        expect(try issues(shelf: .source("shelf")), .typeMismatch, "objects of the source", "$manager")
        expect(try issues(shelf: .source("title")), .typeMismatch, "needs objects")
        expect(
            try issues(
                shelf: .destinationInstances(
                    forSourceRelationshipNamed: "items", sourceInstances: .source("items"))),
            .typeMismatch, "several objects")
        // Without the name of a mapping, what an expression leads to is a mistake.
        expect(
            try issues(shelf: try MappingExpression(format: "$destination.items")), .typeMismatch,
            "several objects", in: 2)
        expect(
            try issues(
                shelf: .destinationInstances(
                    forEntityMappingNamed: "ShelfToShelf", sourceInstances: .source("title"))),
            .typeMismatch, "needs objects of the source")
        #expect(try issues(shelf: .constant(.null)).isEmpty)
        expect(
            try Self.issues { $0.attributeMappings.append(PropertyMapping("shelf")) }, .duplicateName,
            "has two mappings", in: 2)
    }

    private func expect(
        _ issues: [MappingIssue], _ code: MappingIssue.Code, _ part: String, in count: Int
    ) {
        #expect(issues.count == count && issues.first?.code == code, "\(issues)")
        #expect(issues.first?.message.contains(part) == true)
    }

    private static func warnings(_ mappings: [EntityMapping]) throws -> [MappingIssue] {
        MappingModel(entityMappings: mappings).warnings(
            from: try #require(MappingModelTests.source), to: try #require(MappingModelTests.destination))
    }

    /// As in Core Data: they find no objects.
    @Test func mappingsOfOtherEntitiesAreWarnedOf() throws {
        func found(_ place: Int, _ property: Int, _ expression: MappingExpression) throws -> (
            warnings: [MappingIssue], issues: [MappingIssue]
        ) {
            var mappings = MappingModelTests.sound.entityMappings
            mappings[place].relationshipMappings[property].valueExpression = expression
            return (try Self.warnings(mappings), try Self.issues(mappings))
        }
        for (name, instances, words) in [
            ("ShelfToShelf", .source(), "maps objects of Shelf, so it has none for objects of Box"),
            (
                "BoxToCrate", .source(),
                "creates objects of Crate, but the relationship needs objects of Shelf"
            ), ("Room", .source(), "has no source"), ("Cellar", .source(), "has no destination"),
        ] as [(String, MappingExpression, String)] {
            let found = try found(
                0, 0, .destinationInstances(forEntityMappingNamed: name, sourceInstances: instances))
            #expect(found.issues.isEmpty, "\(name): \(found)")
            #expect(found.warnings.map(\.code) == [.unrelatedMapping], "\(name): \(found)")
            #expect(found.warnings.first?.propertyName == "shelf")
            #expect(found.warnings.first?.message.contains(words) == true, "\(found)")
            #expect(found.warnings.first?.message.contains("Use another entity mapping") == true)
        }
        let other = try found(
            0, 0,
            .destinationInstances(forSourceRelationshipNamed: "items", sourceInstances: .source("shelf")))
        #expect(other.issues.isEmpty && other.warnings.map(\.code) == [.unrelatedMapping], "\(other)")
        #expect(other.warnings.first?.message.contains("Box.items is a relationship to Item") == true)
        // Objects of a sub-entity are wanted, and those of the super-entity are made.
        #expect(try Self.warnings(MappingModelTests.sound.entityMappings).isEmpty)
        // The crate of a cup is required, and the items of a crate no longer set it.
        var mappings = MappingModelTests.sound.entityMappings
        mappings[0].relationshipMappings.removeLast()
        for place in [2, 3] {
            mappings[place].relationshipMappings = [
                PropertyMapping(
                    "crate",
                    .destinationInstances(
                        forEntityMappingNamed: place == 2 ? "BoxToCrate" : "ShelfToShelf",
                        sourceInstances: .source("box")))
            ]
        }
        let required = try Self.issues(mappings)
        expect(
            required, .missingValue, "CupToCup.crate",
            "no object to Item.crate".replacing("Item", with: "Cup"),
            "with objects of Crate")
    }

    /// In calculations, too, and keys behind them are looked at.
    @Test func callsInsideOfExpressionsAreLookedAt() throws {
        let call = "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', "
        var mappings = MappingModelTests.sound.entityMappings
        mappings[0].attributeMappings[1].valueExpression = try MappingExpression(
            format: call + "'ItemToItem', $source.shelf).@count + 1")
        #expect(try Self.issues(mappings).isEmpty)
        #expect(try Self.warnings(mappings).map(\.code) == [.unrelatedMapping])
        mappings[0].attributeMappings[1].valueExpression = try MappingExpression(
            format: call + "'ShelfToShelf', $source.shelf).labl")
        expect(
            try Self.issues(mappings), .unknownProperty, "Shelf in the destination model",
            "Did you mean label?")
    }

    @Test func keysOfValueForKeyAreLookedUp() throws {
        func issues(_ format: String) throws -> [MappingIssue] {
            try Self.issues {
                $0.attributeMappings[0].valueExpression = try MappingExpression(format: format)
            }
        }
        #expect(try issues("FUNCTION($source, 'valueForKey:', 'title')").isEmpty)
        expect(
            try issues("FUNCTION($source, 'valueForKey:', 'titel')"), .unknownProperty,
            "Box in the source model has no property titel. Did you mean title?")
        expect(
            try issues("FUNCTION($source, 'valueForKeyPath:', 'shelf.lable')"), .unknownProperty,
            "Shelf in the source model", "Did you mean label?")
        expect(
            try issues("FUNCTION($source, 'valueForKey:', 'size')"), .typeMismatch,
            "size is of the type integer16")
        expect(
            try issues("FUNCTION($source, 'valueForKey:', 'shelf')"), .typeMismatch, "evaluates to objects")
    }

    @Test func nilIsNoValueOfWhatIsRequired() throws {
        expect(
            try Self.issues { $0.attributeMappings[0].valueExpression = .constant(.null) }, .typeMismatch,
            "must have a value, but the expression is nil", "make the attribute optional")
        #expect(try Self.issues { $0.attributeMappings[1].valueExpression = .constant(.null) }.isEmpty)
        var mappings = MappingModelTests.sound.entityMappings
        mappings[2].relationshipMappings = [PropertyMapping("crate", .constant(.null))]
        // The items of the crate set it.
        #expect(try Self.issues(mappings).isEmpty)
        mappings[0].relationshipMappings.removeLast()
        let alone = try Self.issues(mappings)
        #expect(alone.map(\.code) == [.missingValue, .missingValue], "\(alone)")
        #expect(
            alone.first?.message.contains("ItemToItem.crate: The mapping gives no object to Item.crate")
                == true)
    }

    /// Entity mappings without properties, as Xcode keeps them for entities whose properties were removed.
    @Test func entityMappingsWithoutPropertiesAreSound() throws {
        let empty = [
            EntityMapping(from: "Box", to: "Room"),
            EntityMapping(from: "Shelf", to: "Shelf", mappingType: .copy),
            EntityMapping(from: "Item"), EntityMapping(from: "Cup"), EntityMapping(from: "Cellar"),
        ]
        #expect(try Self.issues(empty).isEmpty && Self.warnings(empty).isEmpty)
        let issues = try Self.issues([EntityMapping(from: "Box", to: "Crate")])
        expect(issues, .missingValue, "Crate.label needs a value", "a default value of the attribute")
    }

    @Test func requiredPropertiesNeedAValue() throws {
        expect(
            try Self.issues { $0.attributeMappings.removeFirst() }, .missingValue, "BoxToCrate.label",
            "needs a value")
        expect(
            try Self.issues { $0.attributeMappings[0] = PropertyMapping("label") }, .missingValue,
            "BoxToCrate.label")
        #expect(
            try Self.issues {
                $0.attributeMappings.removeFirst()
                $0.entityMigrationPolicyClassName = "P"
            }.isEmpty)
        // The crate of an item is set by the items of the crate, until that goes.
        let alone = try Self.issues { $0.relationshipMappings.removeLast() }
        #expect(alone.map(\.code) == [.missingValue, .missingValue])
        #expect(alone.map(\.entityMapping) == ["ItemToItem", "CupToCup"])
    }

    @Test func methodsThatNobodyAnswersAreNamed() throws {
        expect(
            try Self.issues {
                $0.attributeMappings[0].valueExpression = .entityPolicy("labelFor:", .source())
            },
            .unknownSelector, "labelFor:", "has no policy")
        #expect(
            try Self.issues {
                $0.entityMigrationPolicyClassName = "P"
                $0.attributeMappings[0].valueExpression = .entityPolicy("labelFor:", .source())
            }.isEmpty)
        expect(
            try Self.issues {
                $0.attributeMappings[0].valueExpression = try MappingExpression(
                    format: "FUNCTION($manager, 'userInfo')")
            }, .unknownSelector, "$manager has no method userInfo")
        expect(
            try Self.issues {
                $0.attributeMappings[0].valueExpression = try MappingExpression(
                    format: "FUNCTION($source, 'fullTitle')")
            }, .unknownSelector, "$source has no method fullTitle")
    }

    @Test func typesOfMappingsGoWithTheirEnds() throws {
        expect(try Self.issues(4) { $0.mappingType = .custom }, .invalidType, "migration policy")
        expect(try Self.issues(4) { $0.sourceEntityName = "Cellar" }, .invalidType, "has a source")
        expect(try Self.issues(5) { $0.destinationEntityName = "Room" }, .invalidType, "has a destination")
        expect(try Self.issues(5) { $0.mappingType = .transform }, .invalidType, "Set the destination.")
        expect(try Self.issues(4) { $0.name = "Cellar" }, .duplicateName, "the name \"Cellar\"")
        expect(
            try Self.issues { $0.sourceEntityVersionHash = "0" }, .versionMismatch, "Box in the source model")
    }

    @Test func filtersAreConditionsOnSources() throws {
        #expect(try Self.issues { $0.sourceFilter = .format("size > 3 AND shelf.label == 'a'") }.isEmpty)
        expect(
            try Self.issues { $0.sourceFilter = .format("sice > 3") }, .invalidFilter, "Did you mean size?")
        expect(try Self.issues { $0.sourceFilter = .format("size > $x") }, .invalidFilter, "$x")
        expect(
            try Self.issues { $0.sourceFilter = .format("size >") }, .invalidFilter,
            "The source filter is invalid")
    }

    @Test func everythingIsToldAtOnce() throws {
        let mappings = [
            EntityMapping(
                from: "Box", to: "Crate",
                attributeMappings: [PropertyMapping("size", .source("title")), PropertyMapping("wide")]),
            EntityMapping(from: "Boxes", to: "Shelf", sourceFilter: .format("a == 1")),
        ]
        #expect(
            try Self.issues(mappings).map(\.code)
                == [.typeMismatch, .unknownProperty, .missingValue, .unknownEntity])
    }
}
