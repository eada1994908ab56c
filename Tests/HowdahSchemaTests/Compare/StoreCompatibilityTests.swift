import HowdahModel
import HowdahSchema
import TestSupport
import Testing

/// What a program can do without knowing; no server.
@Suite struct StoreCompatibilityTests {
    private static let name = PropertyDescription.attribute(
        "name", .string, optional: false, maximumLength: 9)

    private static func obstacles(
        _ program: [EntityDescription], _ stored: [EntityDescription]
    ) throws -> [String] {
        StoreCompatibility(
            of: try ManagedObjectModel(entities: program), with: try ManagedObjectModel(entities: stored),
            schemaName: "public"
        ).obstacles
    }

    private static func person(_ more: PropertyDescription..., unique: [[String]] = []) -> EntityDescription {
        entity("Person", [name] + more, unique: unique)
    }

    @Test func whatIsAddedAndCanBeLeftOut() throws {
        let pet = entity("Pet", [.relationship("owner", to: "Person", inverse: "pets")])
        #expect(
            try Self.obstacles(
                [Self.person()],
                [
                    Self.person(
                        .attribute("nick", .string),
                        .attribute("age", .integer16, optional: false, default: 0),
                        .attribute("hint", .string, transient: true),
                        .relationship("pets", to: "Pet", inverse: "owner", toMany: true)), pet,
                ]) == [])
    }

    @Test(arguments: [
        (PropertyDescription.attribute("kind", .string, optional: false), "is required without a default"),
        (.relationship("boss", to: "Person", optional: false), "is required"),
    ])
    func whatIsAddedAndNeeded(_ property: PropertyDescription, _ reason: String) throws {
        #expect(
            try Self.obstacles([Self.person()], [Self.person(property)]) == [
                "Person.\(property.name) is not in the program's model and \(reason)"
            ])
    }

    /// Saves write alike with a version trigger and without.
    @Test func aVersionTriggerIsNoObstacle() throws {
        var watched = Self.person()
        watched.userInfo[MappingKey.versionTrigger] = "YES"
        #expect(try Self.obstacles([Self.person()], [watched]) == [])
        #expect(try Self.obstacles([watched], [Self.person()]) == [])
        // Anything else that steers the mapping is one.
        watched.userInfo[MappingKey.table] = "persons"
        #expect(try Self.obstacles([Self.person()], [watched]).first == "Person: howdah.* keys")
    }

    @Test func whatIsGone() throws {
        let age = PropertyDescription.attribute("age", .integer16)
        #expect(
            try Self.obstacles([Self.person(age)], [Self.person()]) == ["Person.age is missing in the store"])
        #expect(
            try Self.obstacles([Self.person(), entity("Pet")], [Self.person()]) == [
                "Pet is missing in the store"
            ])
        let renamed = PropertyDescription.attribute("years", .integer16, renamingIdentifier: "age")
        #expect(
            try Self.obstacles([Self.person(age)], [Self.person(renamed)]) == [
                "Person.age is missing in the store"
            ])
    }

    @Test func whatIsAnother() throws {
        let old = entity("Person", [.attribute("name", .string), .attribute("age", .integer16)])
        let obstacles = try Self.obstacles(
            [old],
            [
                entity(
                    "Person",
                    [
                        .attribute("name", .string, optional: false, default: ""),
                        .attribute("age", .integer32),
                    ], unique: [["name"]])
            ])
        #expect(
            obstacles == [
                "Person: uniqueness constraint (name) added", "Person.name: optional → required",
                "Person.age: type integer16 → integer32",
            ])
    }

    @Test func aSubentityIsAmongTheRows() throws {
        var child = entity("Child")
        child.superentity = "Person"
        let obstacles = try Self.obstacles([Self.person()], [Self.person(), child])
        #expect(obstacles.first == "Child is a subentity of Person that is not in the program's model")
    }

    @Test func indexesAndDefaultsMayDiffer() throws {
        var now = entity("Person", [.attribute("name", .string, default: "x")])
        now.fetchIndexes = [FetchIndexDescription("byName", on: "name")]
        #expect(try Self.obstacles([entity("Person", [.attribute("name", .string)])], [now]) == [])
    }
}
