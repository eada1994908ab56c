import Foundation
import Howdah
import Testing

/// A table with its script: keys, menus of cells, folding.
@Suite(.timeLimit(.minutes(3))) struct TableTests {
    private typealias Key = WebDriver.Key

    private func withTable(
        _ path: String, _ body: (WebDriver, Pages) async throws -> Void
    ) async throws {
        try await Library.withPages { pages in
            try await WebDriver.run { browser in
                try await browser.open(pages.entrance)
                try await browser.open(pages.origin + path)
                try await body(browser, pages)
                #expect(try await browser.console() == [])
            }
        }
    }

    private func row(_ browser: WebDriver) async throws -> Int {
        try await browser.script("return document.activeElement.closest('tr')?.rowIndex ?? 0")
    }

    @Test("Keys move between rows, pages and levels")
    func keys() async throws {
        try await withTable("/objects/Book?sort=price") { browser, _ in
            try await browser.type("jjjk")
            #expect(try await row(browser) == 2)
            try await browser.type("]")
            try await browser.wait(until: "location.search.includes('after')")
            try await browser.type("[")
            try await browser.wait(until: "location.search.includes('before')")
            try await browser.type("j" + Key.enter)
            try await browser.wait(until: "location.pathname.startsWith('/object/')")
            // Up is the table as it was.
            try await browser.type("u")
            try await browser.wait(until: "location.pathname == '/objects/Book'")
            #expect(try await browser.address().contains("sort=price&before="))
            try await browser.type("u")
            try await browser.wait(until: "location.pathname == '/'")
        }
    }

    @Test("Chosen columns, also of a key path, stay for the links to an entity")
    func columns() async throws {
        try await withTable("/objects/Book") { browser, pages in
            let choose = """
                document.querySelector('form details').open = true;
                const press = text => [...document.querySelectorAll('.choice button')].find(b => b.textContent === text).click();
                press('None');
                document.querySelector('[type=checkbox][value=title]').click();
                document.getElementById('path').value = 'author.name';
                """
            try await browser.run(choose + "press('Show these columns');")
            try await browser.wait(until: "location.search.includes('column')")
            let address = try await browser.address()
            #expect(address.hasSuffix("/objects/Book?column=title&column=author.name"))
            #expect(try await Axe.isClean(browser))
            try await browser.open(pages.origin + "/")
            let links =
                "return [...document.querySelectorAll('a')].map(a => a.getAttribute('href')).join(' ')"
            let found: String = try await browser.script(links)
            #expect(found.contains("/objects/Book?column=title&column=author.name"))
            // An address that another person chose changes nothing.
            try await browser.open(pages.origin + "/objects/Book?column=price")
            try await browser.open(pages.origin + "/")
            let same: String = try await browser.script(links)
            #expect(same.contains("/objects/Book?column=title&column=author.name"))
            // What no longer works is forgotten.
            try await browser.open(pages.origin + "/objects/Book?column=gone")
            // The browser notes the status 400.
            _ = try await browser.console()
            try await browser.open(pages.origin + "/")
            let after: String = try await browser.script(links)
            #expect(after.contains("/objects/Book") && !after.contains("?column="))
            try await browser.open(pages.origin + "/objects/Book?column=title")
            try await browser.run(choose + "press('As usual');")
            try await browser.wait(until: "!location.search.includes('column')")
            try await browser.open(pages.origin + "/")
            let last: String = try await browser.script(links)
            #expect(!last.contains("?column="))
        }
    }

    @Test("The key paths of an order are completed")
    func order() async throws {
        try await withTable("/objects/Book") { browser, _ in
            try await browser.run(
                "const sort = document.getElementById('sort'); sort.value = 'price,-ti'; sort.dispatchEvent(new Event('input'))"
            )
            try await browser.wait(until: "document.querySelector('#order-names option')")
            let names =
                "return [...document.querySelectorAll('#order-names option')].map(o => o.value).join(' ')"
            #expect(try await browser.script(names) == "price,-title")
        }
    }

    @Test("Control-Enter runs a query in SQL, and the tab keeps it")
    func query() async throws {
        try await withTable("/sql") { browser, pages in
            try await browser.run(
                """
                const query = document.getElementById('query');
                query.value = 'SELECT 41 + 1 AS sum';
                query.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true }));
                """)
            try await browser.wait(until: "document.querySelector('main table')?.textContent.includes('42')")
            try await browser.open(pages.origin + "/sql")
            #expect(
                try await browser.script("return document.getElementById('query').value")
                    == "SELECT 41 + 1 AS sum")
        }
    }

    @Test("Keys are text in a field, and can be switched off")
    func keysOff() async throws {
        try await withTable("/objects/Book") { browser, pages in
            try await browser.type("/j?u[")
            #expect(try await browser.script("return document.getElementById('where').value") == "j?u[")
            try await browser.run("document.activeElement.blur()")
            try await browser.type("?")
            try await browser.wait(until: "document.querySelector('dialog[open]')")
            #expect(try await browser.texts("dialog kbd").count == 9)
            #expect(try await Axe.isClean(browser))
            try await browser.click("#keys-on")
            try await browser.type(Key.escape)
            try await browser.wait(until: "!document.querySelector('dialog')")
            try await browser.type("jj")
            #expect(try await row(browser) == 0)
            try await browser.open(pages.origin + "/objects/Book")
            try await browser.type("j")
            #expect(try await row(browser) == 0)
            try await browser.click("header button")
            try await browser.click("#keys-on")
            try await browser.type(Key.escape)
            try await browser.wait(until: "!document.querySelector('dialog')")
            try await browser.type("j")
            #expect(try await row(browser) == 1)
        }
    }

    @Test("The menu of a cell extends the filter or sorts")
    func cellMenu() async throws {
        try await withTable("/objects/Book?where=copies%20%3E%201%20OR%20copies%20%3D%3D%20nil") {
            browser, _ in
            // From the row to its fourth cell: title, publishedAt, status.
            try await browser.type("jlllm")
            try await browser.wait(until: "document.querySelector('[role=menu]')")
            let choices = try await browser.texts("[role=menu] button")
            #expect(choices.first == "AND status == \"lent\"" || choices.first == "AND status == \"open\"")
            #expect(choices.count == 5)
            #expect(try await Axe.isClean(browser))
            try await browser.picture(to: Pictures.file("menu"))
            try await browser.type(Key.escape)
            #expect(try await browser.script("return document.activeElement.tagName") == "TD")
            try await browser.type("m" + Key.down + Key.up + Key.enter)
            try await browser.wait(until: "location.search.includes('status')")
            let address = try await browser.address()
            #expect(address.contains("where=(copies+>+1+OR+copies+==+nil)+AND+status+==+\""))
            #expect(!address.contains("column="))
            #expect(try await browser.texts("tbody tr").count > 0)
            try await browser.type("jm")
            try await browser.click("[role=menu] button:nth-last-child(2)")
            try await browser.wait(until: "location.search.includes('sort')")
            #expect(try await browser.address().contains("sort=-title"))
            try await browser.type("jlm")
            try await browser.click("[role=menu] button:last-child")
            try await browser.wait(until: "location.pathname.includes('/values/Book/title')")
            #expect(try await browser.address().contains("?where="))
            #expect(try await Axe.isClean(browser))
        }
    }

    /// Every cell's filter finds its object again, whatever quotes and backslashes the value has.
    @Test("The filter of each kind of cell finds its row")
    func cellFilters() async throws {
        try await withTable("/objects/Book?rows=250") { browser, pages in
            let count: Int = try await browser.script("return document.querySelectorAll('tbody tr').length")
            #expect(count == 117)
            for name in ["title", "status", "price", "copies", "isbn", "author", "publishedAt"] {
                let target: String = try await browser.promise(
                    """
                    const column = [...document.querySelectorAll('main thead th')].findIndex(th => th.textContent.startsWith('\(name)'));
                    const row = document.querySelectorAll('main tbody tr')[7];
                    row.cells[column].click();
                    const filter = document.querySelector('[role=menu] button').dataset.filter;
                    document.querySelector('[role=menu]').dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
                    const page = await (await fetch('/objects/Book?rows=250&where=' + encodeURIComponent(filter))).text();
                    return page.includes('data-key="' + row.dataset.key + '"') ? '' : filter;
                    """)
                #expect(target == "", "\(name)")
            }
        }
    }

    @Test("The parts of a composite unfold in all rows, and stay so")
    func folding() async throws {
        try await withTable("/objects/Author") { browser, pages in
            let open = "document.querySelectorAll('tbody details[open]').length"
            #expect(try await browser.script("return \(open)") == 0)
            try await browser.click("thead button")
            #expect(try await browser.script("return \(open)") == 3)
            #expect(try await Axe.isClean(browser))
            try await browser.open(pages.origin + "/objects/Author")
            #expect(try await browser.script("return \(open)") == 3)
        }
    }
}
