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
            for page in ["/structure/Wide", "/delete/Wide/1", "/names/Wide", "/export/Wide.csv?\(all)"] {
                _ = try await Legacy.text(page, of: site)
            }
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
}
