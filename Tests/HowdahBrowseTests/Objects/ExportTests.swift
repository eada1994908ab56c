import Foundation
import HowdahModel
import HowdahRuntime
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahBrowse

/// Exports of tables.
@Suite struct ExportTests {
    @Test func tablesAreExportedInTheirOrderWithoutMaskedValues() async throws {
        try await Shop.withSite { site, container in
            let text = try await site.text(
                "/export/Employee.csv?where=salary%20%3E%20248&sort=-salary&column=name&column=salary&column=secret"
            )
            #expect(
                text.split(separator: "\r\n").map { $0.replacing(/,\d+,Person/, with: ",#,Person") } == [
                    "entity,key,name,salary", "Manager,#,Person 1250,250", "Employee,#,Person 1249,249",
                ])
            let lines = try await site.text("/export/Employee.jsonl?where=salary%20%3D%3D%201")
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(lines.utf8)) as? [String: Any])
            #expect(object["@entity"] as? String == "Employee" && object["salary"] as? Int == 1)
            #expect(object["isActive"] as? Bool == true && object["secret"] == nil)
            #expect((object["department"] as? [String: Any])?["@entity"] as? String == "Department")
        }
    }

    @Test func longExportsAreReadPageByPage() async throws {
        try await Shop.withSite { site, container in
            let rows = (1...2_500).map { ["title": "Project \($0)"] as BatchInsertRow }
            _ = try await container.insert(into: ManagedObject.self, entityName: "Project", from: rows)
            container.statementLog.start()
            let response = await site.respond(to: BrowseRequest(target: "/export/Project.csv"))
            // Nothing but the first page is read before the reader takes it.
            #expect(container.statementLog.count == 1)
            let text = try await response.text()
            #expect(text.split(separator: "\r\n").count == 2_502)
            // The first page is short, because rows can be long.
            #expect(container.statementLog.count == 4)
        }
    }

    @Test func pagesOfLongRowsAreShort() async throws {
        try await Shop.withSite { site, container in
            let long = String(repeating: "x", count: 200_000)
            let rows = (1...60).map { ["title": "\($0) \(long)"] as BatchInsertRow }
            _ = try await container.insert(into: ManagedObject.self, entityName: "Project", from: rows)
            let response = await site.respond(to: BrowseRequest(target: "/export/Project.csv?column=title"))
            guard case .stream(let parts) = response.body else { return }
            var sizes: [Int] = []
            for try await part in parts { sizes.append(part.count) }
            // The store has one short project before these.
            #expect(sizes.count == 4 && sizes.allSatisfy { $0 < 5 << 20 }, "\(sizes)")
        }
    }

    @Test("A text that is too long for a file is its size there, also in a composite, and is not read")
    func longTextsAreTheirSizes() async throws {
        try await Shop.withSite { site, container in
            let size = RowWriter.cut + 1
            try await container.perform { context in
                _ = try context.withConnection { connection in
                    try connection.query(
                        "UPDATE project SET title = pg_catalog.repeat('x', \(size))", cached: false)
                }
            }
            let csv = try await site.text("/export/Project.csv")
            #expect(csv.hasSuffix(",\(size) bytes\r\n") && csv.utf8.count < 200)
            let lines = try await site.text("/export/Project.jsonl")
            #expect(lines.hasSuffix("\"title\":{\"@bytes\":\(size)}}\n"))
            let key = try #require(lines.firstMatch(of: /"@key":(\d+)/)?.1)
            #expect(try await site.text("/json/Project/\(key)") == lines)
            try await container.perform { context in
                _ = try context.withConnection { connection in
                    try connection.query(
                        "UPDATE project SET title = pg_catalog.left(title, \(size - 1))", cached: false)
                }
            }
            #expect(try await site.text("/json/Project/\(key)").utf8.count > RowWriter.cut)
            let street =
                "UPDATE employee SET address_street = pg_catalog.repeat('x', \(size)), address_city = 'y' "
            try await container.perform { context in
                _ = try context.withConnection {
                    try $0.query(street + "WHERE name = 'Person 1001'", cached: false)
                }
            }
            let rest = "?column=address&where=\(FormText.encoded("name == \"Person 1001\""))"
            #expect(
                try await site.text("/export/Employee.csv\(rest)").hasSuffix(
                    ",street: \(size) bytes; city: y\r\n"))
            #expect(
                try await site.text("/export/Employee.jsonl\(rest)").hasSuffix(
                    "\"address\":{\"street\":{\"@bytes\":\(size)},\"city\":\"y\"}}\n"))
        }
    }

    @Test func wrongExportsAreRefusedBeforeTheyBegin() async throws {
        try await Shop.withSite { site, _ in
            _ = try await site.text("/export/Employee.xls", status: 404)
            _ = try await site.text("/export/Nobody.csv", status: 404)
            _ = try await site.text("/export/Employee.csv?where=nothing%20%3D%3D", status: 400)
            _ = try await site.text("/export/Employee.csv?where=unknown%20%3D%3D%201", status: 400)
        }
    }

    @Test func objectsAreJSON() async throws {
        try await Shop.withSite { site, _ in
            let list = try await site.text("/objects/Project")
            let key = try #require(list.firstMatch(of: /\/object\/Project\/(\d+)/)?.1)
            #expect(
                try await site.text("/json/Project/\(key)")
                    == "{\"@entity\":\"Project\",\"@key\":\(key),\"title\":\"Apollo\"}\n")
        }
    }
}
