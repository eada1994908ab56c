import Foundation
import Howdah
import HowdahTesting
import Testing

/// Names as long as models allow, on a narrow page.
@Suite(.timeLimit(.minutes(2))) struct LongNameTests {
    private static let entity = "E" + String(repeating: "x", count: 299)
    private static let attribute = "a" + String(repeating: "y", count: 299)

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                entity,
                properties: [
                    .attribute(attribute, .string),
                    .relationship("above", to: entity, inverse: "below"),
                    .relationship("below", to: entity, inverse: "above", toMany: true),
                ])
        ])
    }

    @Test("No page with long names scrolls sideways")
    func longNamesWrap() async throws {
        let database = try EphemeralPostgres.shared().createDatabase()
        defer { try? database.drop() }
        let container = try await PersistentContainer.open(database.url, model: Self.model())
        try await container.perform { context in
            let object = context.insert(Self.entity)
            object[Self.attribute] = String(repeating: "z", count: 2_000)
            try context.save()
        }
        try await Pages.run(container, of: database.url) { pages in
            try await WebDriver.run { browser in
                try await browser.open(pages.entrance)
                try await browser.show(width: 400, dark: false)
                try await browser.open(pages.origin + "/objects/\(Self.entity)")
                let object: String = try await browser.script(
                    "return document.querySelector('tbody th a').getAttribute('href')")
                let paths = [
                    "/", "/objects/\(Self.entity)", "/objects/\(Self.entity)?sort=\(Self.attribute)",
                    "/objects/\(Self.entity)?where=\(Self.attribute)y%20%3E%201",
                    object, object + "0", object.replacing("/object/", with: "/delete/"),
                    "/structure/\(Self.entity)", "/diagram", "/migrations",
                    "/doctor", "/activity", "/sql",
                ]
                for path in paths {
                    try await browser.open(pages.origin + path)
                    let overflow: Int = try await browser.script(
                        "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
                    #expect(overflow <= 0, "\(path.prefix(20)) \(overflow)")
                }
            }
        }
        await container.close()
    }
}
