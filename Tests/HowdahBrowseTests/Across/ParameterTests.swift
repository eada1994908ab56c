import Foundation
import Testing

@testable import HowdahBrowse

/// Addresses with wrong parameters.
@Suite struct ParameterTests {
    @Test func unknownRepeatedAndWrongParametersAreNamed() async throws {
        try await Shop.withSite { site, _ in
            for (target, name) in [
                ("/?x=1", "x"), ("/objects/Employee?filter=a", "filter"),
                ("/objects/Employee?Where=a", "Where"),
                ("/objects/Employee?rows=7", "rows"), ("/objects/Employee?rows=+50", "rows"),
                ("/objects/Employee?rows=50&rows=100", "rows"), ("/objects/Employee?count=yes", "count"),
                ("/objects/Employee?where=a&where=b", "where"), ("/objects/Employee?of=x", "of"),
                ("/objects/Employee?after=a&before=b", "after"), ("/objects/Employee?where=%00", "where"),
                ("/objects/Employee?sort=a%00", "sort"), ("/objects/Employee?sort=nothing", "nothing"),
                ("/objects/Employee?sort=name,-name", "sort"),
                ("/objects/Employee?sort=\(String(repeating: "-name,", count: 5_000))", "sort"),
                ("/objects/Employee?sort=\((1...33).map { "a\($0)" }.joined(separator: ","))", "sort"),
                ("/objects/Employee?column=nothing", "nothing"),
                ("/export/Employee.csv?count=exact", "count"),
                ("/migrations?page=2", "page"), ("/sql?q=SELECT", "q"), ("/structure/Employee?a", "a"),
                ("/objects/Employee?%3Cb%3E=1", "&lt;b&gt;"),
            ] {
                let text = try await site.text(target, status: 400)
                #expect(text.contains("role=\"alert\"") && text.contains("&#39;\(name)&#39;"), "\(target)")
            }
        }
    }

    @Test func emptyFieldsOfAFormAreNoMistake() async throws {
        try await Shop.withSite { site, _ in
            let text = try await site.text("/objects/Employee?where=&sort=&rows=50&column=name&column=salary")
            #expect(text.contains("Person 1001"))
            #expect(text.contains("/browse.css?v=\(Links.version)\"") && Links.version.count > 8)
            _ = try await site.text("/browse.css?v=\(Links.version)")
            _ = try await site.text("/objects/Employee?column=name&column=name", status: 400)
        }
    }

    @Test func theCharacterU0000IsRefusedEverywhere() async throws {
        try await Shop.withSite { site, _ in
            _ = try await site.text("/objects/Emp%00loyee", status: 404)
            let form = BrowseRequest(
                method: "POST", target: "/sql",
                headers: [("Host", "app.example"), ("Origin", "https://app.example")],
                body: Array("query=SELECT+1%00+nonsense".utf8))
            #expect(await site.respond(to: form).status == 400)
        }
    }
}
