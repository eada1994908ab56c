import Foundation
import HowdahModel
import HowdahRuntime
import PQClient
import Testing

@testable import HowdahBrowse

/// Tables of objects.
@Suite struct ObjectsPageTests {
    /// The names of the employees in a page, in its order.
    private func names(_ text: String) -> [Int] {
        text.matches(of: /<td class="text">Person (\d+)<\/td>/).compactMap { Int($0.1) }
    }

    /// The address of a link with some text.
    private func link(_ name: String, in text: String) throws -> String {
        let anchors = text.matches(of: /<a href="([^"]*)"[^>]*>([^<]*)<\/a>/)
        let found = try #require(anchors.first { $0.2 == name })
        return String(found.1).replacing("&amp;", with: "&")
    }

    @Test func pagesFollowEachOtherBothWays() async throws {
        try await Shop.withSite { site, container in
            container.statementLog.start()
            let first = try await site.text("/objects/Employee?sort=-salary")
            // The rows, and the plan.
            #expect(container.statementLog.count == 2)
            #expect(names(first) == Array((1_201...1_250).reversed()))
            #expect(!first.contains("Previous page"))
            let second = try await site.text(try link("Next page", in: first))
            #expect(names(second) == Array((1_151...1_200).reversed()))
            let third = try await site.text(try link("Next page", in: second))
            let back = try await site.text(try link("Previous page", in: third))
            #expect(names(back) == names(second))
            let start = try await site.text(try link("Previous page", in: back))
            #expect(names(start) == names(first) && !start.contains("Previous page"))
            for text in container.statementLog.statements.map(\.sql) {
                #expect(!text.lowercased().contains("count(*)") && !text.contains("OFFSET"))
            }
        }
    }

    @Test func nullsStandAtOneEndBothWays() async throws {
        try await Shop.withSite { site, _ in
            var target = "/objects/Employee?sort=department.name&column=name"
            var seen: [[Int]] = []
            while true {
                let text = try await site.text(target)
                seen.append(names(text))
                guard text.contains("Next page") else { break }
                target = try link("Next page", in: text)
            }
            #expect(Set(seen.joined()).count == 250 && seen.count == 5)
            #expect(Set(seen[0]) == Set(1_201...1_250))
            for page in seen.dropLast().reversed() {
                let text = try await site.text(target)
                target = try link("Previous page", in: text)
                #expect(try await names(site.text(target)) == page)
            }
        }
    }

    @Test func relatedObjectsHaveLabels() async throws {
        try await Shop.withSite { site, container in
            container.statementLog.start()
            let text = try await site.text(
                "/objects/Employee?where=department.name%20%3D%3D%20%22Research%22")
            #expect(container.statementLog.count == 2)
            #expect(text.contains(">Research</a>") && !text.contains(">Sales</a>"))
            #expect(text.contains("/object/Manager/") && text.contains("of about"))
            #expect(
                text.contains(
                    "request.predicate = .format(&quot;department.name == \\&quot;Research\\&quot;&quot;)"))
        }
    }

    @Test("A relationship to another entity is refused, and an impossible date keeps the form")
    func wrongAddressesKeepTheirWords() async throws {
        try await Shop.withSite { site, _ in
            let text = try await site.text("/objects/Project?of=Department/1/employees", status: 400)
            #expect(text.contains("names a relationship to Employee"))
            let date = try await site.text("/objects/Employee?where=2026-13-45", status: 400)
            #expect(date.contains("Find “2026-13-45”") && date.contains("id=\"where\""))
        }
    }

    @Test("The Swift of a list of members has the condition of the relationship")
    func membersHaveSwift() async throws {
        try await Shop.withSite { site, container in
            let keys = try await container.perform { context in
                try context.fetchRows(
                    Int64.self,
                    sql: "SELECT (SELECT min(_id) FROM department) UNION ALL SELECT min(_id) FROM project")
            }
            let staff = try await site.text("/objects/Employee?of=Department/\(keys[0])/employees")
            #expect(staff.contains("// owner is the ObjectID of the object \(keys[0]) of Department."))
            #expect(staff.contains(".format(&quot;department == %@&quot;, owner)"))
            let team = try await site.text(
                "/objects/Employee?of=Project/\(keys[1])/members&where=salary%20%3E%201")
            #expect(team.contains(".format(&quot;ANY projects == %@ AND (salary &gt; 1)&quot;, owner)"))
        }
    }

    @Test func wrongFilterShowsItsPlaceAndAMendedOne() async throws {
        try await Shop.withSite { site, _ in
            let text = try await site.text("/objects/Employee?where=salry%20%3E%2010", status: 400)
            #expect(text.contains("<mark>salry</mark> &gt; 10") && text.contains("aria-invalid=\"true\""))
            let chosen = try await site.text(
                "/objects/Employee?where=salry%20%3E%2010&column=salary&sort=salary", status: 400)
            #expect(chosen.contains("<mark>salry</mark>") && !chosen.contains("id=\"sort-fault\""))
            let mended = try link("salary &gt; 10", in: text)
            #expect(try await names(site.text(mended)).count == 50)
            let sql = try await site.text("/objects/Employee?where=salary%20IS%20NOT%20NULL", status: 400)
            #expect(try await names(site.text(link("salary != nil", in: sql))).count == 50)
            let syntax = try await site.text("/objects/Employee?where=salary%20%3E%3E%201", status: 400)
            #expect(syntax.contains("<mark>"))
            for (typed, meant) in [
                ("name == “Person 1001”", "name == &quot;Person 1001&quot;"),
                ("salary > 1,000", "salary &gt; 1000"), ("sal > 1", "salary &gt; 1"),
                ("name == \"Person 1001", "name == &quot;Person 1001&quot;"),
                ("name ILIKE '%son%'", "name CONTAINS[c] &quot;son&quot;"),
                ("department IS nil", "department == nil"),
                ("name LIKE Per%", "name LIKE &quot;Per*&quot;"),
                ("name in (\"a\", \"b\")", "name IN {&quot;a&quot;, &quot;b&quot;}"),
            ] {
                let text = try await site.text(
                    "/objects/Employee?where=\(FormText.encoded(typed))", status: 400)
                _ = try link(meant, in: text)
            }
            let object = try await site.text("/objects/Employee?where=department%20%3D%205", status: 400)
            #expect(object.contains("Compare one of its attributes") && !object.contains("ObjectID"))
            let below = try await site.text(
                "/objects/Employee?where=level%20%3E%200&column=name", status: 400)
            let other = try #require(below.firstMatch(of: /Filter <a href="([^"]*)">Manager<\/a> instead/))
            let target = String(other.1).replacing("&amp;", with: "&")
            #expect(target.contains("/objects/Manager?where=level"))
            _ = try await site.text(target)
        }
    }

    @Test("A search of words looks at all texts of a wide entity, and a date elsewhere gives no advice")
    func faultsOfWideEntities() throws {
        let texts = (1...30).map { PropertyDescription.attribute("t\($0)", .string) }
        let model = try ManagedObjectModel(entities: [
            EntityDescription("Wide", properties: texts + [.attribute("at", .date)])
        ])
        let error = try #require(throws: PredicateTreeError.self) {
            _ = try PredicateTree(filter: "two words")
        }
        let search = FilterFault(error, in: "two words", of: "Wide", ModelGuide(model: model), nil)
        #expect(search.mended?.hasSuffix("OR t30 CONTAINS[c] \"two words\"") == true)
        let other = PredicateTreeError(.argumentType, "t1 cannot be compared with an integer.")
        let filter = "at > 2026-01-01 AND t1 > 5"
        let fault = FilterFault(other, in: filter, of: "Wide", ModelGuide(model: model), nil)
        #expect(fault.message == other.message)
        for text in [
            "p5@example.org", "rock and roll", "50%", "AT&T", "a/b", "what?", "http://x/5", "🎉", "it's",
        ] {
            let search = FilterFault(error, in: text, of: "Wide", ModelGuide(model: model), nil)
            #expect(search.searchedCount == 30, "\(text)")
            #expect(throws: Never.self, "\(text)") { try PredicateTree(filter: search.mended ?? "") }
        }
        for text in ["t1 and t2", "t1 LIKE x", "a == b", "x IN {1}", "f(x)"] {
            #expect(
                FilterFault(error, in: text, of: "Wide", ModelGuide(model: model), nil).searchedCount == nil)
        }
    }

    @Test("A wrong order is marked at its own field, with a link to the one that was meant")
    func wrongOrdersAreMarked() async throws {
        try await Shop.withSite { site, _ in
            let text = try await site.text(
                "/objects/Employee?where=salary%20%3E%201&sort=name%20descending", status: 400)
            #expect(text.contains("id=\"sort-fault\"") && !text.contains("id=\"fault\""))
            #expect(text.contains("name descending"))
            let mended = try await site.text(try link("-name", in: text))
            #expect(names(mended) == Array((1_201...1_250).reversed()))
            let several = try await site.text(
                "/objects/Employee?sort=name%20desc,%20salary%20ASC", status: 400)
            #expect(try await names(site.text(link("-name,salary", in: several))).first == 1_250)
            #expect(try await names(site.text("/objects/Employee?sort=%20-name%20,salary")).first == 1_250)
            let open = try await site.text("/objects/Employee?sort=department.", status: 400)
            #expect(open.contains("id=\"sort-fault\""))
            let other = try await site.text("/objects/Employee?sort=nome%20descending", status: 400)
            #expect(other.contains("in descending order.</p>") && !other.contains("-nome"))
            #expect(text.matches(of: /autofocus/).count == 1)
        }
    }

    @Test("A wrong column keeps the form, and is no fault of the filter", arguments: ["naem", "projects"])
    func wrongColumnsAreNoFaultsOfTheFilter(column: String) async throws {
        try await Shop.withSite { site, _ in
            let text = try await site.text(
                "/objects/Employee?where=salary%20%3E%201&column=\(column)", status: 400)
            #expect(text.contains("&#39;\(column)&#39;") && text.contains("value=\"salary &gt; 1\""))
            #expect(!text.contains("id=\"fault\"") && text.contains("role=\"alert\""))
        }
    }

    @Test func longTextsAreCutByTheServer() async throws {
        try await Shop.withSite { site, container in
            try await container.perform { context in
                let employee = context.insert("Employee")
                employee["name"] = "Long"
                employee["notes"] = String(repeating: "é", count: 50_000)
                employee["photo"] = Data(
                    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 7, count: 9_000))
                try context.save()
            }
            let text = try await site.text("/objects/Employee?where=name%20%3D%3D%20%22Long%22")
            #expect(text.utf8.count < 20_000 && text.contains("97 KiB") && text.contains("PNG image"))
        }
    }

    @Test func maskedValuesAreNotShownAndDoNotSort() async throws {
        try await Shop.withSite { site, _ in
            let text = try await site.text("/objects/Employee?column=name&column=secret")
            #expect(!text.contains("hidden 1") && text.contains("masked"))
            _ = try await site.text("/objects/Employee?sort=secret", status: 400)
        }
    }

    @Test func membersOfAnObjectAreATable() async throws {
        try await Shop.withSite { site, _ in
            let projects = try await site.text("/objects/Project")
            let key = try #require(projects.firstMatch(of: /\/object\/Project\/(\d+)/)?.1)
            let text = try await site.text("/objects/Employee?of=Project/\(key)/members")
            #expect(names(text) == [1_001, 1_002, 1_003])
            #expect(projects.contains("The same fetch in Swift"))
        }
    }

    @Test(arguments: [
        "rows=7", "after=nonsense", "sort=unknown", "column=unknown", "of=Project/1/unknown", "of=x",
    ])
    func wrongAddressesAreErrorsWithARemedy(query: String) async throws {
        try await Shop.withSite { site, _ in
            let text = try await site.text("/objects/Employee?\(query)", status: 400)
            #expect(text.contains("role=\"alert\""))
        }
    }
}
