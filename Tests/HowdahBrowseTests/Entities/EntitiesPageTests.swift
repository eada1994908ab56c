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
}
