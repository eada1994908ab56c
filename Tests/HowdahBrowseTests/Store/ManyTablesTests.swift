import HowdahBrowse
import HowdahTesting
import TestSupport
import Testing

/// Schemas of many tables without a store.
@Suite struct ManyTablesTests {
    private static let tables = [
        """
        DO $$ BEGIN FOR i IN 1000..1399 LOOP
        EXECUTE format('CREATE TABLE t%s (id bigint PRIMARY KEY, a text)', i); END LOOP; END $$
        """
    ]

    @Test("The tree has the entities around that of the page, and the notes are one")
    func thePartsOfAPageAreBounded() async throws {
        try await Legacy.withSite(Self.tables) { site, _ in
            let first = try await Legacy.text("/", of: site)
            let notes = first.matches(of: /counts the changes of a row/).count
            #expect(notes == 1 && first.contains("t1000, t1001, t1002 and 397 more tables: The table has no"))
            let links = first.matches(of: /href="\/objects\/T\d+"/).count
            #expect(links == 600)
            for (name, others) in [
                ("T1000", ["T1199"]), ("T1250", ["T1150", "T1349"]), ("T1399", ["T1200"]),
            ] {
                let page = try await Legacy.text("/objects/\(name)", of: site)
                let tree = page.split(separator: "<main").first ?? ""
                #expect(tree.contains("href=\"/objects/\(name)\" aria-current=\"true\""))
                for other in others { #expect(tree.contains(">\(other)</a>"), "\(name)") }
                #expect(tree.contains("<a href=\"/\">All 400 entities</a>"))
                #expect(tree.matches(of: /href="\/objects\//).count == 200)
            }
        }
    }

    @Test("A page leads to the diagram of its entity, which is as large as it must be")
    func pagesLeadToTheDiagramOfTheirEntity() async throws {
        try await Legacy.withSite(Self.tables) { site, _ in
            let list = try await Legacy.text("/objects/T1250", of: site)
            #expect(list.contains("href=\"/diagram?entity=T1250\""))
            let whole = try await Legacy.text("/diagram", of: site)
            let part = try await Legacy.text("/diagram?entity=T1250", of: site)
            let (some, all) = (part.matches(of: /<area\s/).count, whole.matches(of: /<area\s/).count)
            #expect(some == 1 && all == 400 && part.contains("src=\"/diagram.svg?entity=T1250\""))
            let picture = try await Legacy.text("/diagram.svg?entity=T1250", of: site)
            #expect(picture.contains("T1250") && !picture.contains("T1251"))
            for page in ["/diagram", "/diagram.svg"] {
                _ = try await Legacy.text("\(page)?entity=Nobody", of: site, status: 404)
            }
        }
    }

    @Test("The diagram of an entity has its neighbours, and leads to theirs")
    func diagramsLeadToNeighbours() async throws {
        let tables = (10...99).map { number in
            let previous = number > 10 ? ", previous bigint REFERENCES h\(number - 1) (id)" : ""
            return "CREATE TABLE h\(number) (id bigint PRIMARY KEY\(previous))"
        }
        try await Legacy.withSite(tables) { site, _ in
            let part = try await Legacy.text("/diagram?entity=H40", of: site)
            let line = try #require(part.firstMatch(of: /<p>Move to: (.*)<\/p>/))
            #expect(line.1.matches(of: />(H\d+)</).map { String($0.1) } == ["H39", "H41"])
            #expect(line.1.contains("<a href=\"/diagram?entity=H41\">"))
            let drawn = part.matches(of: /alt="Structure of (H\d+)"/).map { String($0.1) }
            #expect(Set(drawn) == ["H39", "H40", "H41"])
            #expect(try await !Legacy.text("/diagram", of: site).contains("Move to:"))
        }
    }

    @Test("Few tables without versions have a note each")
    func fewTablesHaveTheirNotes() async throws {
        let tables = ["a", "b"].map { "CREATE TABLE \($0) (id bigint PRIMARY KEY)" }
        try await Legacy.withSite(tables) { site, _ in
            let first = try await Legacy.text("/", of: site)
            #expect(
                first.contains("<li>a: The table has no column") && first.contains("<li>b: The table has"))
        }
    }
}
