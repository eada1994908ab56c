import HowdahBrowse
import HowdahRuntime
import Testing

/// The list of entities.
@Suite struct EntitiesPageTests {
    @Test func entitiesHaveEstimatesFromOneStatement() async throws {
        try await Shop.withSite { site, container in
            container.statementLog.start()
            let text = try await site.text("/")
            #expect(container.statementLog.count == 1)
            #expect(text.contains("≈ 250") && text.contains("What was sent: 1 statement"))
            // A tenth of the employees are managers.
            #expect(text.contains(">Manager</a></th><td class=\"number\">≈ 2"))
            #expect(!text.contains("count(*)"))
        }
    }

    @Test func pagesNameTheirStatementsInAProgramThatObservesNone() async throws {
        try await Shop.withSite { site, container in
            container.statementLog.stop()
            for (target, count) in [("/", "1 statement,"), ("/objects/Project", "2 statements,")] {
                let text = try await site.text(target)
                #expect(text.contains("What was sent: \(count)"))
            }
            #expect(container.statementLog.events.isEmpty)
        }
    }

    @Test func unknownPagesAreNotFound() async throws {
        try await Shop.withSite { site, _ in
            let text = try await site.text("/nowhere", status: 404)
            #expect(text.contains("role=\"alert\""))
            let post = await site.respond(to: BrowseRequest(method: "POST", target: "/"))
            #expect(post.status == 405 && post.header("Allow") == "GET, HEAD")
            let style = try await site.text("/browse.css")
            #expect(style.utf8.count <= 12_000 && style.contains("light-dark("))
        }
    }

    @Test func entitiesAreSortedByNumberAndSize() async throws {
        try await Shop.withSite { site, _ in
            func names(_ target: String) async throws -> [String] {
                let text = try await site.text(target)
                return text.matches(of: /href="\/objects\/(\w+)">\w+<\/a><\/th>/).map { String($0.1) }
            }
            #expect(try await names("/") == ["Department", "Employee", "Manager", "Project"])
            #expect(try await names("/?sort=objects") == ["Employee", "Manager", "Department", "Project"])
            #expect(try await names("/?sort=size").first == "Employee")
            let text = try await site.text("/?sort=objects")
            #expect(text.contains("aria-sort=\"descending\">Objects ↓</th>"))
            #expect(text.contains("<a href=\"/\">Entity</a>"))
            _ = try await site.text("/?sort=name", status: 400)
        }
    }

    @Test func pagesNameTheOnesAbove() async throws {
        try await Shop.withSite { site, _ in
            let list = try await site.text("/objects/Department")
            #expect(list.contains("aria-label=\"Pages above\"><a href=\"/\" rel=\"up\">Entities</a></nav>"))
            let key = try #require(list.firstMatch(of: /\/object\/Department\/(\d+)/)?.1)
            let steps = "<a href=\"/\">Entities</a> › <a href=\"/objects/Department\""
            let text = try await site.text("/object/Department/\(key)")
            #expect(text.contains("\(steps) rel=\"up\">Department</a></nav>"))
            let object = "<a href=\"/object/Department/\(key)\" rel=\"up\">Department \(key)</a>"
            let deletion = try await site.text("/delete/Department/\(key)")
            #expect(deletion.contains("\(steps)>Department</a> › \(object)</nav>"))
            #expect(try await !site.text("/sql").contains("Pages above"))
        }
    }
}
