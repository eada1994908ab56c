import HowdahModel
import HowdahRuntime
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahBrowse

/// Names that are words of predicates, in the filters that pages write.
@Suite struct FilterPathTests {
    private static let words = ["in", "nil", "no", "like", "any", "cast", "name"]

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription("Word", properties: words.map { .attribute($0, .string) })
        ])
    }

    @Test("A text of a key path is read as that path", arguments: words + ["boss.in", "nil.any"])
    func pathsAreRead(path: String) throws {
        let tree = try PredicateTree(filter: "\(PredicateTree.filterPath(path)) == nil")
        #expect(tree.keyPaths == [path.split(separator: ".").map(String.init)])
    }

    @Test("Links to values, and searches, find the objects")
    func linksFind() async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { context in
                for number in 0..<5 {
                    let object = context.insert("Word")
                    for word in Self.words where number > 0 { object[word] = "hello \(number)" }
                }
                try context.save()
            }
            let site = BrowseSite(container) { _ in .read }
            for word in Self.words {
                let text = try await site.text("/values/Word/\(word)")
                let link = try #require(
                    text.firstMatch(of: /href="([^"]*)"><span class="null">nil</), "\(word)")
                let found = try await site.text(String(link.1).replacing("&amp;", with: "&"))
                #expect(found.contains("<p role=\"status\">1 object"), "\(word)")
            }
            let search = try await site.text("/objects/Word?where=hello", status: 400)
            let link = try #require(search.firstMatch(of: /<a href="([^"]*)">Find “hello”</))
            let found = try await site.text(String(link.1).replacing("&amp;", with: "&"))
            #expect(found.contains("<p role=\"status\">4 objects"))
            // Menus of cells and completions.
            #expect(found.contains("data-path=\"#in\""))
            #expect(try await site.text("/names/Word").contains("\"typed\":\"#nil\""))
        }
    }

    @Test("A wrong filter of many letters or spaces is answered at once")
    func longFaultsAreFast() throws {
        let guide = ModelGuide(model: try Self.model())
        for filter in [
            String(repeating: "x", count: 20_000), "name" + String(repeating: " ", count: 20_000),
            "name == \"\(String(repeating: "y", count: 20_000))\" AND nam > 3",
        ] {
            let error = PredicateTreeError(
                .syntax, "x cannot be compared with y. Write a Boolean.", token: "nam")
            let start = ContinuousClock.now
            _ = FilterFault(error, in: filter, of: "Word", guide, PreviewStore?.none)
            // The square of the length took a minute.
            #expect(ContinuousClock.now - start < .seconds(5))
        }
    }
}
