import Foundation
import Howdah
import HowdahTesting
import Testing

// snippet
@Entity final class Star: ManagedObject {
    @Attribute(.unique) var name: String
    @Relationship(deleteRule: .cascade, inverse: "star") var planets: ToMany<Planet>
}

@Entity final class Planet: ManagedObject {
    var name: String
    var visits: Int = 0
    @Relationship(inverse: "planets") var star: Star?
}
// end

@Suite struct FluentPageTests {
    @Test func theSnippetRuns() async throws {
        let url = try EphemeralPostgres.shared().createDatabase().url
        // snippet
        let container = try await PersistentContainer.open(
            url, model: .init(Star.self, Planet.self))

        // Fluent: try await planet.save(on: database)
        let earth = try await container.perform { context in
            let sun = Star(context: context)
            sun.name = "Sun"
            let earth = Planet(context: context)
            earth.name = "Earth"
            earth.star = sun
            try context.save()
            return earth.objectID
        }

        // Fluent: Planet.query(on: database).filter(\.$name == "Earth").with(\.$star).all()
        let stars = try await container.perform { context in
            try context.fetch(Planet.self, where: #Predicate { $0.name == "Earth" })
                .compactMap { $0.star?.name }
        }

        // Fluent: database.transaction { … }, in which the later of two updates wins
        try await container.perform(retrying: .conflicts(upTo: 5)) { context in
            try context.existingObject(with: earth).visits += 1
            try context.save()
        }
        // end
        #expect(stars == ["Sun"])
        #expect(try await container.perform { try $0.existingObject(with: earth).visits } == 1)
        await container.close()
    }

    @Test func thePageShowsThisCode() throws {
        try ReadmeTests.expect("docs/from-fluent.md", toShow: #filePath)
    }
}
