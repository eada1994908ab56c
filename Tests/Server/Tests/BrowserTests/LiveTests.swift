import Foundation
import Howdah
import PQClient
import Testing

/// Marks of rows that another program changed.
@Suite(.timeLimit(.minutes(3))) struct LiveTests {
    @Test("Rows that another program changed or deleted are marked, with one statement a look")
    func marks() async throws {
        try await Library.withPages { pages in
            try await WebDriver.run { browser in
                try await browser.open(pages.entrance)
                try await browser.open(pages.origin + "/objects/Book?sort=price")
                pages.container.statementLog.start()
                let begun = ContinuousClock.now
                // The first look only notes the marks of the rows.
                try await wait(pages, for: 1)
                #expect(try await browser.text("#changes") == "")
                let rows: [Int64] = try await browser.script(
                    "return [...document.querySelectorAll('tbody tr')].slice(0, 3).map(r => Number(r.dataset.key))"
                )
                let other = try Connection(ConnectionConfiguration(pages.database))
                func run(_ sql: String, _ key: Int64) throws {
                    var parameters = Parameters()
                    parameters.append(key)
                    _ = try other.query(sql, parameters)
                }
                try run("UPDATE work SET copies = 7 WHERE _id = $1", rows[0])
                try run("UPDATE work SET _version = _version + 1 WHERE _id = $1", rows[1])
                try await browser.wait(until: "document.querySelectorAll('tr[data-changed]').length == 2")
                #expect(try await browser.text("#changes") == "2 rows changed. Show")
                try run("DELETE FROM work WHERE _id = $1", rows[2])
                try await browser.wait(until: "document.querySelectorAll('tr[data-changed]').length == 3")
                #expect(try await browser.texts(".badge.changed") == ["changed", "changed", "deleted"])
                #expect(try await Axe.isClean(browser))
                try await browser.picture(to: Pictures.file("changed"))
                let looks = pages.container.statementLog.statements.map(\.sql)
                // One every two seconds, and the first one at once.
                let most = Int((ContinuousClock.now - begun) / .seconds(2)) + 2
                #expect(looks.count <= most)
                #expect(looks.allSatisfy { $0.contains("xmin") } && looks.count >= 3)
                try await browser.click("#changes button")
                try await browser.wait(until: "document.querySelectorAll('tr[data-changed]').length == 0")
                #expect(try await browser.console() == [])
            }
        }
    }

    @Test("A hidden tab asks nothing")
    func hidden() async throws {
        try await Library.withPages { pages in
            try await WebDriver.run { browser in
                try await browser.open(pages.entrance)
                try await browser.open(pages.origin + "/objects/Book")
                pages.container.statementLog.start()
                try await wait(pages, for: 1)
                try await browser.run(
                    """
                    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
                    document.dispatchEvent(new Event('visibilitychange'));
                    """)
                let count = pages.container.statementLog.count
                try await Task.sleep(for: .seconds(3))
                #expect(pages.container.statementLog.count == count)
                try await browser.run(
                    "delete document.visibilityState; document.dispatchEvent(new Event('visibilitychange'))")
                try await wait(pages, for: count + 1)
            }
        }
    }

    /// Waits until the pages have sent some statements.
    private func wait(_ pages: Pages, for count: Int) async throws {
        for _ in 0..<200 where pages.container.statementLog.count < count {
            try await Task.sleep(for: .milliseconds(25))
        }
        #expect(pages.container.statementLog.count >= count)
    }
}
