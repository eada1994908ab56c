import HowdahModel
import Testing

/// Models of which one is made.
@Suite struct MergedModelTests {
    private static let person = EntityDescription(
        "Person", properties: [.attribute("name", .string)], uniquenessConstraints: [["name"]])

    private static func model(
        _ entities: EntityDescription..., configurations: [String: [String]] = [:],
        templates: [String: FetchRequestTemplate] = [:], version: String? = nil
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: entities, configurations: configurations, fetchRequestTemplates: templates,
            versionIdentifier: version)
    }

    @Test func mergedModelHasAllParts() throws {
        let all = FetchRequestTemplate(entityName: "Person")
        let some = FetchRequestTemplate(entityName: "Place", predicateFormat: "city != nil")
        let place = EntityDescription("Place", properties: [.attribute("city", .string)])
        let first = try Self.model(
            Self.person, configurations: ["main": ["Person"]], templates: ["all": all], version: "1")
        let second = try Self.model(
            place, Self.person, configurations: ["main": ["Place", "Person"], "other": ["Place"]],
            templates: ["all": all, "some": some], version: "2")
        let merged = try ManagedObjectModel(byMerging: [first, second])
        #expect(merged.entities == [Self.person, place])
        #expect(merged.entitiesByName == ["Person": Self.person, "Place": place])
        #expect(merged.configurations == ["main": ["Person", "Place"], "other": ["Place"]])
        #expect(merged.fetchRequestTemplates == ["all": all, "some": some])
        #expect(merged.versionIdentifier == "1, 2")
        // The entities alone decide about a store.
        #expect(try merged.versionChecksum == Self.model(Self.person, place).versionChecksum)
    }

    @Test func mergingOneModelChangesNothing() throws {
        let model = try Self.model(Self.person, configurations: ["main": ["Person"]], version: "1")
        #expect(try ManagedObjectModel(byMerging: [model]) == model)
        #expect(try ManagedObjectModel(byMerging: [model, model]) == model)
        #expect(try ManagedObjectModel(byMerging: []).entities == [])
    }

    @Test func differentEntitiesOfOneNameAreRefused() throws {
        var other = Self.person
        other.isAbstract = true
        let (first, second) = (try Self.model(Self.person), try Self.model(other))
        let error = try #require(throws: ModelError.self) {
            try ManagedObjectModel(byMerging: [first, second])
        }
        #expect(error.code == .invalidModel && error.issues.map(\.code) == [.duplicateName])
        #expect(error.issues[0].entityName == "Person" && "\(error)".contains("different entities"))
    }

    @Test func differentFetchRequestsOfOneNameAreRefused() throws {
        let first = try Self.model(
            Self.person, templates: ["all": FetchRequestTemplate(entityName: "Person")])
        let second = try Self.model(
            Self.person,
            templates: ["all": FetchRequestTemplate(entityName: "Person", predicateFormat: "name != nil")])
        let error = try #require(throws: ModelError.self) {
            try ManagedObjectModel(byMerging: [first, second])
        }
        #expect(error.issues.map(\.code) == [.duplicateName] && "\(error)".contains("all: Two"))
    }

    /// Parts that refer to each other by name only become a model together.
    @Test func mergedModelIsChecked() throws {
        let book = EntityDescription("Book", superentity: "Medium")
        let medium = EntityDescription("Medium")
        #expect(throws: ModelError.self) { try Self.model(book) }
        let (left, right) = (try Self.model(medium), try Self.model(medium, book))
        #expect(try ManagedObjectModel(byMerging: [left, right]).entities.map(\.name) == ["Medium", "Book"])
    }
}
