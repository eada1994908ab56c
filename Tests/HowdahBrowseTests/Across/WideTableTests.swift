import Foundation
import HowdahRuntime
import TestSupport
import Testing

@testable import HowdahBrowse

/// Tables of as many columns as PostgreSQL allows, and addresses that are too long for servers.
@Suite struct WideTableTests {
    private static let count = 1_390
    private static let tables = [
        "CREATE TABLE wide (id bigint PRIMARY KEY, "
            + (0..<count).map { "value_\($0) text" }.joined(separator: ", ") + ")",
        "CREATE TABLE wider (id bigint PRIMARY KEY, "
            + (0..<1_590).map { "value_\($0) text" }.joined(separator: ", ") + ")",
        "INSERT INTO wide (id, value_0, value_1389) VALUES (1, 'first', 'last'), (2, '', '')",
    ]

    @Test("A table with more columns than a statement can read is shown in part, and says so")
    func wideTablesAreShownInPart() async throws {
        try await Legacy.withSite(Self.tables) { site, _ in
            #expect(
                try await Legacy.text("/", of: site).contains(
                    "wider: it has 1591 columns, and a model at most"))
            let usual = try await Legacy.text("/objects/Wide", of: site)
            #expect(usual.contains("The first 250 of 1,390 columns are listed"))
            let all = (0..<Self.count).map { "column=value\($0)" }.joined(separator: "&")
            let table = try await Legacy.text("/objects/Wide?\(all)", of: site)
            #expect(table.contains("The first 250 of the 1,390 columns that you chose are shown"))
            for link in table.matches(of: /href="([^"]*)"/) { #expect(link.1.utf8.count < 8_000) }
            let last = try await Legacy.text(
                "/objects/Wide?column=value1389&where=value1389%20!=%20%22%22", of: site)
            #expect(last.contains(">last</td>"))
            let object = try await Legacy.text("/object/Wide/1", of: site)
            #expect(
                object.contains("The first 500 of 1,390 properties are shown")
                    && object.contains("<dd>first"))
            let json = try await Legacy.text("/json/Wide/1", of: site)
            let members = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
            #expect(members?.count == Self.count + 2 && members?["value1389"] as? String == "last")
            for page in ["/structure/Wide", "/delete/Wide/1", "/names/Wide"] {
                _ = try await Legacy.text(page, of: site)
            }
        }
    }

    @Test("A file has all columns that its address names, also if several statements have to read them")
    func filesHaveAllColumns() async throws {
        try await Legacy.withSite(Self.tables) { site, _ in
            let all = (0..<Self.count).map { "column=value\($0)" }.joined(separator: "&")
            let csv = try await Legacy.text("/export/Wide.csv?\(all)", of: site)
            let lines = csv.split(separator: "\r\n").map {
                $0.split(separator: ",", omittingEmptySubsequences: false)
            }
            #expect(lines.count == 3 && lines.allSatisfy { $0.count == Self.count + 2 })
            #expect(lines[0].last == "value1389" && lines[1][2] == "first" && lines[1].last == "last")
            #expect(lines[2][2] == "\"\"" && lines[2].last == "\"\"" && lines[1][600] == "")
            let json = try await Legacy.text("/export/Wide.jsonl?\(all)&sort=-value0", of: site)
            let objects = try json.split(separator: "\n").map {
                try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
            }
            #expect(objects.count == 2 && objects.allSatisfy { $0?.count == Self.count + 2 })
            #expect(objects.first??["value1389"] as? String == "last")
        }
    }

    @Test("An address that servers would refuse has a page that says what to do")
    func longAddressesHaveAPage() async throws {
        try await Legacy.withSite(["CREATE TABLE item (id bigint PRIMARY KEY, name text)"]) { site, _ in
            let filter =
                "name%20IN%20%7B" + Array(repeating: "%22some%20name%22", count: 2_300).joined(separator: ",")
            let text = try await Legacy.text("/objects/Item?where=\(filter)%7D", of: site, status: 414)
            #expect(text.contains("more than 40,000 bytes") && text.contains("Shorten the filter"))
            let shorter =
                "name%20IN%20%7B" + Array(repeating: "%22some%20name%22", count: 1_500).joined(separator: ",")
            let page = try await Legacy.text("/objects/Item?where=\(shorter)%7D", of: site)
            for link in page.matches(of: /href="([^"]*)"/) { #expect(link.1.utf8.count < 60_000) }
        }
    }

    @Test("The links of a page answer, also if its address is almost too long")
    func linksOfLongAddressesAnswer() async throws {
        let tables = [
            "CREATE TABLE item (id bigint PRIMARY KEY, name text)",
            "INSERT INTO item SELECT i, repeat('x', 2000) || i FROM generate_series(1, 120) i",
        ]
        try await Legacy.withSite(tables) { site, _ in
            func target(_ length: Int) -> String {
                let start = "?where=" + FormText.encoded("name != \"")
                let rest = String(repeating: "y", count: length - start.utf8.count - 3) + "%22"
                return "/objects/Item" + start + rest
            }
            for query in ["", "&sort=name", "&sort=-name&rows=100"] {
                let text = try await Legacy.text(target(40_000) + query, of: site)
                let links = Set(text.matches(of: /href="(\/(?:objects|export)\/[^"]*)"/).map { String($0.1) })
                #expect(links.contains { $0.contains("after=") } && links.contains { $0.contains("count=") })
                #expect(links.contains { $0.hasPrefix("/export/") && $0.utf8.count > 39_000 })
                for link in links {
                    _ = try await Legacy.text(link.replacing("&amp;", with: "&"), of: site)
                }
            }
            _ = try await Legacy.text(target(40_001), of: site, status: 414)
            let order = String(repeating: "name.", count: 1_601)
            _ = try await Legacy.text("/objects/Item?sort=\(order)name", of: site, status: 400)
            // What a browser leaves as it is has three bytes in a link.
            let marks = String(repeating: "!", count: 14_000)
            _ = try await Legacy.text("/objects/Item?where=name%20==%20%22\(marks)%22", of: site, status: 414)
        }
    }
}
