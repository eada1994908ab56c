import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// The parts of the library that a server uses for texts of its clients: conditions, ids and problems.
@Suite struct ServerPartsTests {
    // snippet
    static let readable: Set<[String]> = [["title"], ["remarks", "text"], ["remarks", "@count"]]

    /// Returns the condition of a client, if it reads what the client may read.
    static func condition(_ text: String) throws -> PredicateTree {
        let tree = try PredicateTree(format: text)
        guard tree.keyPaths.allSatisfy(readable.contains) else {
            throw ProblemDetails(
                400, "unknownKey", "The condition reads something else. Use title or remarks.")
        }
        return tree
    }
    // end

    @Test func aConditionReadsWhatIsListed() throws {
        for text in ["title == 'x'", "ANY remarks.text == 'x'", "remarks.@count > 1 AND title != NULL"] {
            #expect(throws: Never.self) { try Self.condition(text) }
        }
        for text in [
            "remarks.article.title == 'x'", "SELF == 1", "title == 'x' OR secret == 1",
            "SUBQUERY(remarks, $r, $r.secret == 1).@count > 0", "FUNCTION(secret, 'lowercaseString') == 'x'",
            "TERNARY(secret == 1, title, title) == 'x'", "title IN {'a', secret}",
        ] {
            #expect(throws: (any Error).self, "\(text)") { try Self.condition(text) }
        }
        #expect(try PredicateTree(format: "SELF == 1").keyPaths == [[]])
    }

    @Test func aProblemOfTheServerIsADocument() throws {
        let problem = ProblemDetails(
            428, "preconditionRequired", "Send the ETag.", [.init(pointer: "/a", code: "b", detail: "c")])
        let json = String(decoding: try problem.json(), as: UTF8.self)
        #expect(json.contains(#""title":"Precondition Required""#) && json.contains(#""pointer":"/a""#))
        #expect(ProblemDetails(problem) == problem)
        #expect(ProblemDetails(502, "x", "with a table's name").detail == nil)
    }

    @Test func aContextReadsIDsFromText() async throws {
        try await withTemporaryStore(ManagedObjectModel(Article.self, Remark.self)) { container in
            let (id, title) = try await container.perform { context in
                let article = Article(context: context)
                article.title = "One"
                try context.save()
                let text = article.objectID.pathComponent
                #expect(context.objectID(Remark.self, pathComponent: text) == nil)
                let request = FetchRequest<Article>(matching: try Self.condition("title == 'One'"))
                return (
                    context.objectID(Article.self, pathComponent: text),
                    try context.fetch(request).first?.title
                )
            }
            #expect(title == "One")
            #expect(
                id != nil && id == container.objectID(Article.self, pathComponent: id?.pathComponent ?? ""))
        }
    }

    @Test func theGuideHasThisExample() throws {
        let guide = try String(
            contentsOf: Repository.root.appending(path: "docs/predicates.md"), encoding: .utf8)
        let lines = try String(contentsOfFile: #filePath, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let begin = try #require(lines.firstIndex { $0.hasSuffix(" // snippet") })
        let end = try #require(lines.firstIndex { $0.hasSuffix(" // end") })
        let example = lines[(begin + 1)..<end].map { $0.dropFirst(4).replacing("static ", with: "") }
        #expect(guide.contains(example.joined(separator: "\n")))
    }
}
