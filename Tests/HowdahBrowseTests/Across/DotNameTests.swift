import HowdahModel
import HowdahRuntime
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahBrowse

/// Entities whose names a browser takes for steps in an address.
@Suite struct DotNameTests {
    private static let names = [".", "..", "~.", "~..", "~~..", "~", "..."]

    @Test(
        "Each link to an entity named by dots leads to it, with and without a prefix",
        arguments: ["", "/admin"])
    func linksLeadToTheirEntities(prefix: String) async throws {
        let model = try ManagedObjectModel(
            entities: Self.names.enumerated().map { number, name in
                EntityDescription(
                    name, properties: [.attribute("name", .string)],
                    userInfo: ["howdah.table": "dots\(number)"])
            })
        try await withTestStore(model) { container in
            try await container.perform { context in
                for name in Self.names { context.insert(name)["name"] = "one of \(name)" }
                try context.save()
            }
            let site = BrowseSite(container, at: prefix) { _ in .read }
            let first = try await site.text(prefix + "/")
            for kind in ["objects", "structure"] {
                let links = Set(first.matches(of: /href="([^"]*\/\w+\/[^"]*)"/).map { String($0.1) })
                    .filter { $0.contains("/\(kind)/") }
                #expect(links.count == Self.names.count)
                for link in links {
                    let last = link.split(separator: "/").last.map(String.init) ?? ""
                    #expect(![".", "..", "%2E", "%2E%2E"].contains(last))
                    #expect(try await site.text(link).contains("<h1>"))
                }
            }
            for name in Self.names {
                let text = try await site.text(prefix + "/objects/\(PathSegment.encoded(name))")
                #expect(text.contains("one of \(name)<"))
                let object = try #require(text.firstMatch(of: /href="([^"]*\/object\/[^"]*)"/)?.1)
                #expect(try await site.text(String(object)).contains("one of \(name)"))
                let file = try #require(text.firstMatch(of: /href="([^"]*\/export\/[^"]*csv)"/)?.1)
                #expect(try await site.text(String(file)).contains("one of \(name)\r\n"))
            }
        }
    }
}
