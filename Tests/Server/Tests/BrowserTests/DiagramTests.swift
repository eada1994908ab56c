import Foundation
import Howdah
import Testing

/// The diagram by keyboard, and a filter that no address can have.
@Suite(.timeLimit(.minutes(2))) struct DiagramTests {
    private typealias Key = WebDriver.Key

    @Test("Tab reaches each entity of the diagram, and Enter opens its structure")
    func entitiesAreLinks() async throws {
        try await Library.withPages { pages in
            try await WebDriver.run { browser in
                try await browser.open(pages.entrance)
                try await browser.open(pages.origin + "/diagram")
                try await browser.run("document.querySelector('.diagram').focus()")
                let areas = try await browser.script(
                    "return document.querySelectorAll('area').length", as: Int.self)
                #expect(areas > 2)
                var reached: Set<String> = []
                for _ in 0..<areas {
                    try await browser.type(Key.tab)
                    reached.insert(
                        try await browser.script(
                            "return document.activeElement.matches('area') ? document.activeElement.alt : ''")
                    )
                }
                #expect(reached.count == areas && !reached.contains(""))
                try await browser.type(Key.enter)
                try await browser.wait(until: "location.pathname.startsWith('/structure/')")
                #expect(try await browser.console() == [])
            }
        }
    }

    @Test("A filter that is too long for an address is not sent")
    func longFiltersAreNotSent() async throws {
        try await Library.withPages { pages in
            try await WebDriver.run { browser in
                try await browser.open(pages.entrance)
                try await browser.open(pages.origin + "/objects/Book")
                try await browser.run(
                    "document.getElementById('where').value = `title == \"${'x'.repeat(50000)}\"`")
                try await browser.type("/" + Key.enter)
                try await browser.wait(
                    until: "document.getElementById('typed').textContent.includes('too long')")
                #expect(try await browser.script("return location.search") == "")
                #expect(try await browser.console() == [])
            }
        }
    }
}
