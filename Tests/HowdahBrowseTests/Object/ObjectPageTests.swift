import Foundation
import HowdahModel
import HowdahRuntime
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahBrowse

/// Pages of an object, of its values and of its entity.
@Suite struct ObjectPageTests {
    private func key(_ entity: String, in text: String) throws -> Int64 {
        let pattern = try Regex("/object/\(entity)/([0-9]+)", as: (Substring, Substring).self)
        let match = try #require(text.firstMatch(of: pattern))
        return try #require(Int64(match.output.1))
    }

    @Test func relationshipsAreWalkedWithOneStatementEach() async throws {
        try await Shop.withSite { site, container in
            let list = try await site.text("/objects/Employee")
            let employee = try key("Employee", in: list)
            container.statementLog.start()
            let text = try await site.text("/object/Employee/\(employee)")
            // The row, and the projects.
            #expect(container.statementLog.count == 2)
            #expect(text.contains(">Apollo</a>") && text.contains("_version</dt><dd>"))
            #expect(text.contains("x-howdah") || text.contains("URI</dt>"))
            #expect(!text.contains("hidden ") && text.contains("masked"))
            let department = try key("Department", in: text)
            container.statementLog.start()
            let owner = try await site.text("/object/Department/\(department)")
            #expect(container.statementLog.count == 2)
            #expect(owner.matches(of: /<li><a href="\/object\/(Employee|Manager)/).count == 20)
            #expect(owner.contains("first 20 of Employee") && owner.contains("all of them</a>"))
            let all = try #require(owner.firstMatch(of: /href="(\/objects\/Employee\?of=[^"]*)"/)?.1)
            let members = try await site.text(String(all))
            #expect(members.matches(of: /<td class="text">Person \d+<\/td>/).count == 50)
        }
    }

    @Test func objectsWithTheSameValueAreOneLinkAway() async throws {
        try await Shop.withSite { site, container in
            try await container.perform { context in
                for _ in 1...2 {
                    let project = context.insert("Project")
                    project["title"] = "It's \"two\" & more"
                }
                try context.save()
            }
            let list = try await site.text("/objects/Project?sort=-title")
            let text = try await site.text("/object/Project/\(try key("Project", in: list))")
            let link = try #require(
                text.firstMatch(of: /href="([^"]*)" aria-label="Objects with the same title"/))
            let same = try await site.text(String(link.1))
            #expect(same.contains("<p role=\"status\">2 objects</p>"))
        }
    }

    @Test func objectsOfASubentityShowItsProperties() async throws {
        try await Shop.withSite { site, _ in
            let manager = try key("Manager", in: try await site.text("/objects/Manager"))
            let text = try await site.text("/object/Employee/\(manager)")
            #expect(text.contains("<dt>level</dt>") && text.contains("· Manager \(manager)</h1>"))
            _ = try await site.text("/object/Manager/999999", status: 404)
            _ = try await site.text("/object/Nobody/1", status: 404)
            _ = try await site.text("/object/Manager/x", status: 404)
        }
    }

    @Test func valuesAreSentWholeInRangesAndSafely() async throws {
        try await Shop.withSite { site, container in
            let png =
                [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 7, count: 5_000_000)
            let keys = try await container.perform { context in
                let objects = [Data(png), Data("<svg onload='alert(1)'/>".utf8)].map { data in
                    let employee = context.insert("Employee")
                    employee["photo"] = data
                    employee["notes"] = String(repeating: "é", count: 50_000)
                    employee["secret"] = "hidden"
                    return employee
                }
                try context.save()
                return objects.map(\.objectID.key)
            }
            let image = await site.respond(to: BrowseRequest(target: "/value/Employee/\(keys[0])/photo"))
            #expect(
                image.header("Content-Type") == "image/png"
                    && image.header("X-Content-Type-Options") == "nosniff")
            #expect(image.header("Content-Security-Policy") == "default-src 'none'; sandbox")
            #expect(image.header("Content-Length") == "5000008")
            guard case .stream(let parts) = image.body else { return #expect(Bool(false)) }
            var all: [UInt8] = []
            var sizes: [Int] = []
            for try await part in parts {
                sizes.append(part.count)
                all += part
            }
            #expect(all == png && sizes == [4 << 20, 5_000_008 - (4 << 20)])
            let drawing = await site.respond(to: BrowseRequest(target: "/value/Employee/\(keys[1])/photo"))
            #expect(drawing.header("Content-Type") == "application/octet-stream")
            #expect(drawing.header("Content-Disposition")?.hasPrefix("attachment") == true)
            let range = await site.respond(
                to: BrowseRequest(
                    target: "/value/Employee/\(keys[0])/notes", headers: [("Range", "bytes=99998-")]))
            #expect(range.status == 206 && range.header("Content-Range") == "bytes 99998-99999/100000")
            #expect(try await range.text() == "é")
            _ = try await site.text("/value/Employee/\(keys[0])/secret", status: 403)
            #expect(try await site.text("/value/Employee/\(keys[0])/secret?unmask=yes") == "hidden")
            _ = try await site.text("/value/Employee/\(keys[0])/address", status: 404)
            let page = try await site.text("/object/Employee/\(keys[0])")
            #expect(
                page.contains("<img src=\"/value/Employee/\(keys[0])/photo\"") && page.utf8.count < 20_000)
        }
    }

    @Test func structuresAndTheDiagramSendNothing() async throws {
        try await Shop.withSite { site, container in
            container.statementLog.start()
            let text = try await site.text("/structure/Manager")
            #expect(
                text.contains("CREATE TABLE") && text.contains("Integer 32")
                    && text.contains(">nullify: ends the reference of the destination</td>"))
            #expect(text.contains("· masked"))
            let department = try await site.text("/structure/Department")
            #expect(department.contains("Unique: name"))
            let diagram = try await site.text("/diagram")
            #expect(diagram.contains("/structure/Project"))
            // Each entity is a link at the place of its box.
            let drawing = try await site.text("/diagram.svg")
            let areas = diagram.matches(
                of:
                    /<area shape="rect" coords="(\d+),(\d+),(\d+),(\d+)" href="\/structure\/(\w+)" alt="Structure of (\w+)">/
            )
            #expect(Set(areas.map(\.5)) == ["Department", "Employee", "Manager", "Project"])
            for area in areas {
                let (x, y) = (String(area.1), String(area.2))
                #expect(area.5 == area.6 && drawing.contains("x=\"\(x)\" y=\"\(y)\""))
            }
            #expect(container.statementLog.events.isEmpty)
        }
    }

    @Test(arguments: [
        ("bytes=0-0", 0, 0), ("bytes=5-", 5, 9), ("bytes=-3", 7, 9), ("bytes=2-99", 2, 9),
    ])
    func rangesAreRead(field: String, first: Int, last: Int) {
        let range = ByteRange(field, length: 10)
        #expect(range?.first == first && range?.last == last)
    }

    @Test(arguments: ["bytes=10-", "bytes=4-2", "items=0-1", "bytes=0-1,3-4", "bytes=-", "bytes=-0"])
    func unusableRangesMeanAll(field: String) { #expect(ByteRange(field, length: 10) == nil) }

    @Test("An object is shown without related objects that the role may not read")
    func unreadableRelationshipsAreNamed() async throws {
        try await withTestDatabase(for: Shop.model()) { database in
            let container = try await PersistentContainer.open(database.url, model: Shop.model())
            try await Shop.fill(container)
            let key = try await container.perform { context in
                try context.fetch("Employee").first { $0["department"] != nil }?.objectID.key
            }
            await container.close()
            let sql = PlainSQL(url: database.url)
            let role = "object_reader_\(UInt32.random(in: 0 ... .max))"
            try sql.rows("CREATE ROLE \(role) LOGIN")
            try sql.rows("GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(role)")
            try sql.rows("REVOKE SELECT ON department, project FROM \(role)")
            let gate = BrowseGate(port: 8_133)
            let site = try await BrowseSite.opening(
                database.url.replacing("user=postgres", with: "user=\(role)"), gate: gate)
            let response = await site.respond(to: gate.request("/object/Employee/\(key ?? 0)"))
            let text = try await response.text()
            #expect(response.status == 200 && text.contains("Person 1"))
            #expect(
                text.contains(
                    "The role \(role) may not read these objects: permission denied for table project"))
            #expect(text.contains("<dt>department</dt>"))
            await site.close()
            try sql.rows("DROP OWNED BY \(role)")
            try sql.rows("DROP ROLE \(role)")
        }
    }
}
