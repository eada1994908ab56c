import HowdahModel
import HowdahRuntime
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahBrowse

/// The page of the values of a property, which finds repeated ones.
@Suite struct ValuesPageTests {
    @Test func repeatedValuesAreFirstAndLinked() async throws {
        try await Shop.withSite { site, container in
            try await container.perform { context in
                for _ in 1...2 { context.insert("Employee")["name"] = "Person \"1001\"" }
                try context.save()
            }
            let list = try await site.text("/objects/Employee?where=salary%20==%20nil&sort=name&column=name")
            let link = "/values/Employee/name?where=salary%20%3D%3D%20nil"
            #expect(list.contains("<a href=\"\(link)\">name</a>"))
            #expect(list.contains(" data-values=\"\(link)\""))
            container.statementLog.start()
            let text = try await site.text("/values/Employee/name")
            #expect(container.statementLog.count == 1)
            let sql = container.statementLog.statements.first?.sql ?? ""
            #expect(sql.contains("LIMIT $1) AS s GROUP BY") && sql.hasSuffix("LIMIT $2"))
            #expect(text.contains("251 values among 252 objects. The 100 most frequent ones are shown."))
            let first = try #require(text.firstMatch(of: /<tbody>\n<tr>(.*)<\/tr>/)?.1)
            #expect(first.contains(/<th scope="row"><a href="[^"]*">Person &quot;1001&quot;<\/a><\/th>/))
            let target = try #require(first.firstMatch(of: /href="([^"]*)">2</)?.1)
            let objects = try await site.text(String(target).replacing("&amp;", with: "&"))
            #expect(objects.contains("<p role=\"status\">2 objects"))
        }
    }

    @Test func objectsAndMissingOnesAreValues() async throws {
        try await Shop.withSite { site, _ in
            let list = try await site.text("/objects/Employee?where=department%20==%20nil")
            #expect(list.contains("#Predicate&lt;Employee&gt; { $0.department == nil }"))
            let text = try await site.text("/values/Employee/department?where=salary%20%3E%2050")
            #expect(text.contains("3 values among 200 objects."))
            let row = try #require(text.split(separator: "\n").first { $0.contains(">Sales</a></th>") })
            let sales = try #require(row.firstMatch(of: /Department\/(\d+)".*<a href="([^"]*)">75</))
            let members = try await site.text(String(sales.2).replacing("&amp;", with: "&"))
            #expect(
                members.contains(
                    "Members of employees of <a rel=\"up\" href=\"/object/Department/\(sales.1)\">"))
            let missing = /nil<\/span><\/a><\/th><td[^>]*><a href="([^"]*)">50</
            let none = try #require(text.firstMatch(of: missing)?.1)
            #expect(none.contains("where=%28salary%20%3E%2050%29%20AND%20department%20%3D%3D%20nil"))
            let others = try await site.text(String(none).replacing("&amp;", with: "&") + "&count=exact")
            #expect(others.contains("Counted: 50 objects."))
        }
    }

    @Test func maskedAndLongValuesHaveNone() async throws {
        try await Shop.withSite { site, _ in
            for name in ["secret", "photo", "address", "projects", "salaries", "department.name"] {
                let text = try await site.text("/values/Employee/\(name)", status: 400)
                #expect(text.contains("&#39;\(name)&#39; is not an attribute or to-one relationship of"))
            }
            _ = try await site.text("/values/Nobody/name", status: 404)
            let fault = try await site.text("/values/Employee/name?where=nome%20==%20nil", status: 400)
            #expect(fault.contains("Employee has no property &#39;nome&#39;"))
            _ = try await site.text("/values/Employee/name?sort=name", status: 400)
        }
    }

    @Test func valuesWithTheSameBeginningAreDifferent() async throws {
        try await Shop.withSite { site, container in
            let start = String(repeating: "a", count: 300)
            try await container.perform { context in
                for end in ["1", "1", "2"] { context.insert("Project")["title"] = start + end }
                try context.save()
            }
            let text = try await site.text("/values/Project/title")
            #expect(text.contains("3 values among 4 objects."))
            #expect(text.contains("<span class=\"cut\">…</span></th><td class=\"number\">2</td>"))
        }
    }

    @Test func textWithoutOperatorsIsSearchedFor() async throws {
        try await Shop.withSite { site, _ in
            let text = try await site.text("/objects/Employee?where=person%201007", status: 400)
            let tests = ["name", "notes"].map { "\($0) CONTAINS[c] \"person 1007\"" }
            let link = try #require(text.firstMatch(of: /<a href="([^"]*)">Find “person 1007”</))
            #expect(link.1.contains("where=" + FormText.encoded(tests.joined(separator: " OR "))))
            #expect(text.contains("in the 2 texts of Employee") && !text.contains("class=\"error\""))
            let found = try await site.text(String(link.1).replacing("&amp;", with: "&"))
            #expect(found.contains("<p role=\"status\">1 object"))
            let flag = try await site.text("/objects/Employee?where=isActive", status: 400)
            #expect(flag.contains(">isActive == TRUE</a>"))
            let filter = "where=name%20contains%20person"
            let unquoted = try await site.text("/objects/Employee?\(filter)", status: 400)
            #expect(unquoted.contains(">name CONTAINS &quot;person&quot;</a>"))
            let started = try await site.text("/objects/Employee?where=sala", status: 400)
            #expect(!started.contains("CONTAINS[c]"))
        }
    }
}
