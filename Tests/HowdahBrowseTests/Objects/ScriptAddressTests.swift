import Foundation
import HowdahModel
import HowdahRuntime
import PQClient
import Testing

@testable import HowdahBrowse

/// The addresses that the script of the pages asks.
@Suite struct ScriptAddressTests {
    private func json(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func namesAreThePropertiesWithTheirDestinationsAndParts() async throws {
        try await Shop.withSite { site, container in
            container.statementLog.start()
            let names = try #require(try await json(site.text("/names/Manager"))["names"] as? [[String: Any]])
            #expect(
                names.compactMap { $0["name"] as? String } == [
                    "name", "salary", "isActive", "address", "photo", "notes", "secret", "level",
                    "department",
                    "projects",
                ])
            let address = try #require(names.first { $0["name"] as? String == "address" })
            #expect((address["parts"] as? [[String: Any]])?.count == 2)
            let projects = try #require(names.first { $0["name"] as? String == "projects" })
            #expect(projects["entity"] as? String == "Project" && projects["many"] as? Bool == true)
            #expect(container.statementLog.count == 0)
            _ = try await site.text("/names/Nothing", status: 404)
        }
    }

    @Test(arguments: [
        ("salary > 1", nil, nil), ("salry > 1", "salry", "salary > 1"), ("salary >> 1", "", nil),
        ("department.nme == \"Sales\"", "nme", "department.name == \"Sales\""), ("", "", nil),
    ])
    func checkHasTheFault(filter: String, token: String?, mended: String?) async throws {
        try await Shop.withSite { site, container in
            container.statementLog.start()
            let text = filter.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let answer = try await json(site.text("/check/Employee?where=\(text)"))
            #expect(answer["token"] as? String == token)
            #expect(answer["mended"] as? String == mended)
            #expect((answer["message"] == nil) == (token == nil))
            #expect(container.statementLog.count == 0)
        }
    }

    @Test func checkTakesLessThanTenMilliseconds() async throws {
        try await Shop.withSite { site, _ in
            let target =
                "/check/Employee?where=salary%20%3E%201%20AND%20department.name%20%3D%3D%20%22Sales%22"
            _ = try await site.text(target)
            let clock = ContinuousClock()
            var times: [Duration] = []
            for _ in 0..<20 { times.append(try await clock.measure { _ = try await site.text(target) }) }
            // The median: others use the machine too.
            #expect(times.sorted()[10] < .milliseconds(10))
        }
    }

    @Test func versionsNameChangedAndMissingRowsWithOneStatement() async throws {
        try await Shop.withSite { site, container in
            let page = try await site.text("/objects/Employee?rows=50")
            let rows = page.matches(of: /data-key="(\d+)" data-version="(\d+)"/).map { "\($0.1).\($0.2)" }
            #expect(rows.count == 50)
            container.statementLog.start()
            let first = try await json(
                site.text("/versions/Employee?rows=\(rows.joined(separator: ",")),999999.1"))
            #expect(container.statementLog.count == 1)
            #expect(first["gone"] as? [String] == ["999999"])
            let marks = try #require(first["rows"] as? [String: String])
            #expect(marks.count == 50 && marks.values.allSatisfy { $0.hasPrefix("1.") })
            let known = marks.map { "\($0.key).\($0.value)" }.joined(separator: ",")
            let second = try await json(site.text("/versions/Employee?rows=\(known)"))
            #expect((second["rows"] as? [String: String])?.isEmpty == true)
            let key = try #require(marks.keys.first.flatMap { Int64($0) })
            try await container.perform { context in
                // It may be a manager.
                let employee = try context.fetch("Employee").first { $0.objectID.key == key }
                employee?["notes"] = "changed"
                try context.save()
            }
            let third = try await json(site.text("/versions/Employee?rows=\(known)"))
            let changed = try #require(third["rows"] as? [String: String])
            #expect(
                changed.keys.elementsEqual([String(key)]) && changed.values.first?.hasPrefix("2.") == true)
        }
    }

    @Test("A row that plain SQL changed before the first question is named")
    func changesSinceThePageAreNamed() async throws {
        try await Shop.withSite { site, container in
            let page = try await site.text("/objects/Project")
            let snapshot = try #require(page.firstMatch(of: /data-snapshot="([0-9:,]+)"/)?.1)
            let row = try #require(page.firstMatch(of: /data-key="(\d+)" data-version="(\d+)"/))
            let question = "/versions/Project?rows=\(row.1).\(row.2)&since=\(snapshot)"
            let before = try await json(site.text(question))
            #expect((before["written"] as? [String])?.isEmpty == true)
            try await container.perform { context in
                try context.withConnection {
                    _ = try $0.query("UPDATE project SET title = 'Gemini'", cached: false)
                }
            }
            let after = try await json(site.text(question))
            #expect(after["written"] as? [String] == [String(row.1)])
            _ = try await site.text("/versions/Project?rows=1.1&since=x", status: 400)
        }
    }

    @Test(
        "Transactions that ran or began after a snapshot are not shown by it, also around the end of their numbers"
    )
    func snapshotsShowTransactions() throws {
        let snapshot = try #require(RowSnapshot("100:104:101,102"))
        #expect([99, 100, 103, 1, 2].allSatisfy { snapshot.shows($0) })
        #expect([101, 102, 104, 105, 2_000_000_000].allSatisfy { !snapshot.shows($0) })
        let around = try #require(RowSnapshot("4294967290:4294967301:4294967294"))
        #expect(around.shows(4_294_967_290) && around.shows(4) && !around.shows(5))
        #expect(!around.shows(4_294_967_294))
        for text in ["", "1:2", "1:2:x", "a:2:"] { #expect(RowSnapshot(text) == nil) }
    }

    @Test(arguments: ["x", "1", "1.1,", "one.1", "1.1, 2.1"])
    func versionsRefuseOtherLists(rows: String) async throws {
        try await Shop.withSite { site, _ in
            let text = rows.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let status = rows == "1.1," ? 200 : 400
            _ = try await site.text("/versions/Employee?rows=\(text)", status: status)
            let many = (1...251).map { "\($0).1" }.joined(separator: ",")
            _ = try await site.text("/versions/Employee?rows=\(many)", status: 400)
        }
    }

    @Test func theScriptIsSmallAndWritesNoMarkup() async throws {
        try await Shop.withSite { site, _ in
            let script = try await site.text("/browse.js")
            #expect(script.utf8.count < 28_000)
            for word in ["innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function("] {
                #expect(!script.contains(word))
            }
            #expect(try await site.text("/browse.css").utf8.count < 12_000)
        }
    }
}
