import Foundation
import Howdah
import Testing

/// Every page in a browser, light and dark, wide and narrow.
@Suite(.timeLimit(.minutes(5))) struct LookTests {
    /// A page, and the name of its pictures.
    private func targets(_ pages: Pages, _ browser: WebDriver) async throws -> [(name: String, path: String)]
    {
        try await browser.open(pages.origin + "/objects/Book?where=cover%20!%3D%20nil")
        let book: String = try await browser.script(
            "return document.querySelector('tbody th a').getAttribute('href')")
        try await browser.open(pages.origin + "/objects/Author")
        let author: String = try await browser.script(
            "return document.querySelector('tbody tr:last-child th a').getAttribute('href')")
        let wrong = "/objects/Work?where=titel%20%3D%3D%20%22Rivers%22"
        return [
            ("entities", "/"), ("objects", "/objects/Work"), ("books", "/objects/Book?sort=-price"),
            ("authors", "/objects/Author"), ("fault", wrong), ("book", book), ("author", author),
            ("delete", "/delete/Author/1"),
            ("values", "/values/Book/status"), ("structure", "/structure/Book"), ("diagram", "/diagram"),
            ("migrations", "/migrations"),
            ("doctor", "/doctor"), ("activity", "/activity"),
            ("sql", "/sql?query=SELECT%201"), ("missing", "/nowhere"),
        ]
    }

    @Test("No page breaks a rule of axe, writes to the console or scrolls sideways")
    func everyPage() async throws {
        try await Library.withPages { pages in
            try await WebDriver.run { browser in
                try await browser.open(pages.entrance)
                for (name, path) in try await targets(pages, browser) {
                    try await browser.open(pages.origin + path)
                    try await check(name, browser)
                }
                try await browser.open(pages.origin + "/sql")
                let query = "SELECT x, 'text ' || x AS t FROM generate_series(1, 30) x"
                try await browser.run(
                    "document.getElementById('query').value = \"\(query)\"; document.querySelector('main form').submit()"
                )
                try await browser.wait(until: "document.querySelector('main table')")
                try await check("result", browser)
            }
        }
    }

    private func check(_ name: String, _ browser: WebDriver) async throws {
        try await Axe.install(in: browser)
        for width in [1_200, 400] {
            for dark in [false, true] {
                try await browser.show(width: width, dark: dark)
                try await browser.picture(to: Pictures.file("\(name)-\(width)-\(dark ? "dark" : "light")"))
                #expect(try await Axe.violations(in: browser) == [], "\(name) \(width) \(dark)")
                let overflow: Int = try await browser.script(
                    "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
                #expect(overflow <= 0, "\(name) \(width)")
            }
        }
        let title: String = try await browser.script("return document.title")
        #expect(title.hasSuffix("howdah browse"))
        // The status of an error page is such a message.
        let messages = try await browser.console().filter {
            !$0.contains("the server responded with a status of 40")
        }
        #expect(messages == [], "\(name)")
    }
}
