import Foundation
import Howdah
import Testing

/// The pages in a browser that runs no scripts.
@Suite(.timeLimit(.minutes(2))) struct PlainTests {
    @Test("Filters, faults, pages and queries work without scripts")
    func withoutScripts() async throws {
        try await Library.withPages { pages in
            try await WebDriver.run { browser in
                try await browser.open(pages.entrance)
                try await browser.tools("Emulation.setScriptExecutionDisabled", ["value": true])
                try await browser.open(pages.origin + "/objects/Book?sort=price")
                #expect(try await browser.script("return document.getElementById('choices') === null"))
                // The driver's own commands are no scripts of the page.
                try await browser.run(
                    "document.getElementById('where').value = 'titel == 1'; document.querySelector('main form').submit()"
                )
                try await browser.wait(until: "document.querySelector('#fault mark')")
                #expect(try await browser.text("#fault mark") == "titel")
                try await browser.run("location.assign(document.querySelector('#fault a').href)")
                try await browser.wait(until: "location.search.includes('title')")
                try await browser.open(pages.origin + "/objects/Book?sort=price")
                try await browser.run("location.assign(document.querySelector('[rel=next]').href)")
                try await browser.wait(until: "location.search.includes('after')")
                try await browser.open(pages.origin + "/sql")
                try await browser.run(
                    "document.getElementById('query').value = 'SELECT 42 AS n'; document.querySelector('main form').submit()"
                )
                try await browser.wait(until: "document.querySelector('main table')")
                #expect(try await browser.text("main tbody tr") == "42")
            }
        }
    }
}
