import Foundation
import Howdah
import Testing

/// The filter of a table with its script: completion, faults while typing, recent filters.
@Suite(.timeLimit(.minutes(3))) struct FilterTests {
    private typealias Key = WebDriver.Key

    private func withTable(
        _ path: String, _ body: (WebDriver, Pages) async throws -> Void
    ) async throws {
        try await Library.withPages { pages in
            try await WebDriver.run { browser in
                try await browser.open(pages.entrance)
                try await browser.open(pages.origin + path)
                try await body(browser, pages)
                #expect(try await browser.console().filter { !$0.contains("a status of 400") } == [])
            }
        }
    }

    @Test("Names, key paths and words are completed, without a statement")
    func completion() async throws {
        try await withTable("/objects/Book") { browser, pages in
            pages.container.statementLog.start()
            try await browser.type("/auth")
            try await browser.wait(until: "document.querySelector('#choices:not([hidden]) li')")
            #expect(try await browser.texts("#choices li") == ["author Author"])
            #expect(
                try await browser.script(
                    "return document.getElementById('where').getAttribute('aria-expanded')") == "true")
            try await browser.type(Key.down + Key.enter)
            try await browser.wait(until: "document.querySelector('#choices:not([hidden]) li')")
            #expect(try await browser.texts("#choices li").contains("name string"))
            try await browser.type("home.ci")
            try await browser.wait(until: "document.querySelectorAll('#choices li').length == 1")
            try await browser.type(Key.tab + "== \"Ulm\" an")
            try await browser.wait(
                until: "document.querySelector('#choices li')?.textContent.startsWith('AND')")
            // Nothing is completed within a text.
            #expect(try await Axe.isClean(browser))
            try await browser.type(Key.tab + "title == \"au")
            try await browser.wait(until: "document.getElementById('choices').hidden")
            let expected = "author.home.city == \"Ulm\" AND title == \"au"
            #expect(try await browser.script("return document.getElementById('where').value") == expected)
            let statements = pages.container.statementLog.statements.map(\.sql).filter {
                !$0.contains("xmin")
            }
            #expect(statements == [])
        }
    }

    @Test("The values that an attribute may have are completed within quotes")
    func values() async throws {
        try await withTable("/objects/Book") { browser, _ in
            try await browser.type("/status == \"l")
            try await browser.wait(
                until: "document.querySelectorAll('#choices:not([hidden]) li').length == 2")
            #expect(try await browser.texts("#choices li") == ["lent value", "lost value"])
            try await browser.type(Key.down + Key.down + Key.enter)
            let value: String = try await browser.script("return document.getElementById('where').value")
            #expect(value == "status == \"lost\" ")
        }
    }

    @Test("A fault is shown at its place while typing, and a button mends it")
    func faultWhileTyping() async throws {
        try await withTable("/objects/Book") { browser, pages in
            pages.container.statementLog.start()
            try await browser.type("/titel == \"Rivers\"")
            try await browser.wait(until: "document.querySelector('#typed mark')")
            #expect(try await browser.text("#typed mark") == "titel")
            #expect(
                try await browser.script(
                    "return document.getElementById('where').getAttribute('aria-invalid')") == "true")
            #expect(try await Axe.isClean(browser))
            try await browser.click("#typed button")
            try await browser.wait(until: "!document.querySelector('#typed mark')")
            #expect(
                try await browser.script("return document.getElementById('where').value")
                    == "title == \"Rivers\"")
            #expect(pages.container.statementLog.statements.map(\.sql).filter { !$0.contains("xmin") } == [])
            try await browser.type(Key.enter)
            try await browser.wait(until: "location.search.includes('where')")
            #expect(try await browser.address() == "/objects/Book?where=title+==+\"Rivers\"")
        }
    }

    @Test("Filters that found a table are offered again, also those that try to be markup")
    func recentFilters() async throws {
        let filter = "title == \"<b onmouseover=alert(1)>\""
        let target =
            "/objects/Book?where="
            + (filter.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
        try await withTable(target) { browser, pages in
            try await browser.open(pages.origin + "/objects/Book?where=nonsense%20%3D%3D")
            try await browser.open(pages.origin + "/objects/Book")
            #expect(try await browser.texts(".recent a") == [filter])
            #expect(try await browser.script("return document.querySelector('.recent b') === null"))
            #expect(try await Axe.isClean(browser))
            try await browser.click(".recent a")
            try await browser.wait(until: "location.search.includes('where')")
            #expect(try await browser.script("return document.getElementById('where').value") == filter)
            // Each entity has its own.
            try await browser.open(pages.origin + "/objects/Author")
            #expect(try await browser.texts(".recent a") == [])
        }
    }
}
