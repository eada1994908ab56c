import Foundation
import Howdah
import PQClient
import Testing

/// The way through the pages that `docs/browse-tour.md` describes, and its pictures.
@Suite(.timeLimit(.minutes(3))) struct TourTests {
    private typealias Key = WebDriver.Key

    @Test("The tour goes from the entities to a row that changes")
    func tour() async throws {
        try await Library.withPages(isHostile: false) { pages in
            try await WebDriver.run { browser in
                try await browser.open(pages.entrance)
                try await show(browser, height: 330)
                try await browser.picture(to: Pictures.tour("entities"))
                try await filter(browser, pages)
                try await follow(browser, pages)
                try await watch(browser, pages)
                #expect(try await browser.console().filter { !$0.contains("a status of 400") } == [])
            }
        }
    }

    private func show(_ browser: WebDriver, width: Int = 1_000, height: Int, dark: Bool = false) async throws
    {
        try await browser.show(width: width, height: height, dark: dark)
    }

    /// Completion, a fault, and the menu of a cell.
    private func filter(_ browser: WebDriver, _ pages: Pages) async throws {
        try await browser.click("main tbody tr:nth-child(3) th a")
        try await browser.wait(until: "location.pathname == '/objects/Book'")
        try await show(browser, height: 520)
        try await browser.type("/author.")
        try await browser.wait(until: "document.querySelectorAll('#choices li').length > 2")
        try await browser.type(Key.down)
        try await browser.picture(to: Pictures.tour("completion"))
        try await browser.open(pages.origin + "/objects/Book")
        try await browser.type("/author.nme BEGINSWITH \"A\"")
        try await browser.wait(until: "document.querySelector('#typed button')")
        try await show(browser, height: 480, dark: true)
        try await browser.picture(to: Pictures.tour("fault"))
        try await browser.click("#typed button")
        try await browser.wait(until: "!document.querySelector('#typed mark')")
        try await browser.type(Key.enter)
        try await browser.wait(until: "location.search.includes('where')")
        try await show(browser, height: 620)
        try await browser.type("jjlllm")
        try await browser.wait(until: "document.querySelector('[role=menu]')")
        try await browser.picture(to: Pictures.tour("menu"))
        try await browser.type(Key.enter)
        try await browser.wait(until: "location.search.includes('status')")
        let expected = "where=author.name+BEGINSWITH+\"A\"+AND+status+==+"
        #expect(try await browser.address().contains(expected))
    }

    /// The plan, an object, and the related objects of another one.
    private func follow(_ browser: WebDriver, _ pages: Pages) async throws {
        try await browser.click(".sent summary")
        try await browser.run("document.querySelector('.sent').scrollIntoView()")
        try await show(browser, height: 640)
        try await browser.run("document.querySelector('.sent').scrollIntoView()")
        try await browser.picture(to: Pictures.tour("sent"))
        try await browser.type("j" + Key.enter)
        try await browser.wait(until: "location.pathname.startsWith('/object/Book')")
        try await browser.click("dd a[href^='/object/Author']")
        try await browser.wait(until: "location.pathname.startsWith('/object/Author')")
        try await show(browser, height: 560, dark: true)
        try await browser.picture(to: Pictures.tour("object"))
        #expect(try await browser.texts("main h2") == ["books"])
    }

    /// A row that another program changes, and the same page on a telephone.
    private func watch(_ browser: WebDriver, _ pages: Pages) async throws {
        try await browser.open(
            pages.origin + "/objects/Book?sort=price&column=title&column=status&column=price&column=author")
        try await show(browser, height: 520, dark: true)
        try await Task.sleep(for: .seconds(1))
        try Connection(ConnectionConfiguration(pages.database)).executeScript(
            "UPDATE work SET status = 'lent' WHERE _id IN (SELECT _id FROM work WHERE price BETWEEN 1 AND 3)")
        try await browser.wait(until: "document.querySelectorAll('tr[data-changed]').length == 2")
        try await browser.picture(to: Pictures.tour("changed"))
        try await show(browser, width: 400, height: 700)
        try await browser.picture(to: Pictures.tour("narrow"))
    }
}
