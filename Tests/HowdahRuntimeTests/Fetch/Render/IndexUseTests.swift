import Foundation
import Howdah
import HowdahModel
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// Indexes of long values hold a part of them; fetches find the index, and the same objects as without it.
@Suite struct IndexUseTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Book",
                properties: [
                    .attribute("title", .string), .attribute("blurb", .string), .attribute("cover", .binary),
                    .attribute("link", .uri), .attribute("year", .integer32), .attribute("code", .string),
                    .attribute("note", .string), .attribute("plain", .string),
                    .attribute("extra", .transformable, userInfo: [MappingKey.jsonb: "true"]),
                    .attribute("isbn", .string, userInfo: [MappingKey.digest: "true"]),
                ], uniquenessConstraints: [["code"], ["isbn"]],
                fetchIndexes: [
                    FetchIndexDescription("title", on: "title"), FetchIndexDescription("cover", on: "cover"),
                    FetchIndexDescription("link", on: "link"),
                    FetchIndexDescription("both", on: "blurb", "title"),
                    FetchIndexDescription("code", on: "code"),
                    FetchIndexDescription(
                        "old", elements: [FetchIndexElement("year", ascending: false)],
                        partialIndexPredicate: "year < 1900"),
                    FetchIndexDescription("extra", on: "extra", method: .gin),
                    FetchIndexDescription("arrival", on: "year", "note", method: .brin),
                    FetchIndexDescription(
                        "words", elements: [.expression("to_tsvector('simple', note)")], method: .gin),
                    FetchIndexDescription("spot", elements: [.expression("point(year, 0)")], method: .gist),
                ])
        ])
    }

    private static let rows = """
        INSERT INTO book (title, blurb, cover, link, year, code, isbn)
        SELECT 'title ' || i, 'blurb ' || i % 10, decode(md5(i::text), 'hex'), 'http://x/' || i, i, 'c' || i, 'i' || i
        FROM generate_series(1, 3000) i
        """

    /// The plan of a fetch as the server would run it.
    private static func plan(
        _ container: PersistentContainer, _ url: String, _ predicate: PredicateTree?,
        _ keys: [SortKey<ManagedObject>] = [], limit: Int = 0, entity: String = "Book"
    ) throws -> String {
        let layouts = container.store.layouts
        let layout = try #require(layouts.layout(named: entity))
        var request = FetchRequest<ManagedObject>(entityName: entity)
        request.predicate = predicate
        request.sortDescriptors = keys
        let resolved = try RenderedFetch(request, layout: layout, layouts: layouts.entities)
        let statement = FetchStatement(
            resolved, selection: layouts.selection(of: layout), limit: limit, offset: 0)
        let connection = try Connection(ConnectionConfiguration(url))
        defer { connection.close() }
        try connection.executeScript("SET enable_seqscan = off")
        let result = try connection.query(
            "EXPLAIN (COSTS OFF) " + statement.sql, statement.parameters, cached: false)
        return (0..<result.rowCount).map { result.row($0)[0].string() }.joined(separator: "\n")
    }

    /// Unique attributes without an index of their own: required, Optional, and two together.
    @Test func uniquenessServesSorting() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Ticket",
                properties: [
                    .attribute("serial", .integer64, optional: false), .attribute("label", .string),
                    .attribute("shelf", .string, optional: false), .attribute("place", .integer32),
                ], uniquenessConstraints: [["serial"], ["label"], ["shelf", "place"]])
        ])
        try await withStore(model) { container, sql in
            try sql.rows(
                "INSERT INTO ticket (serial, label, shelf, place) SELECT -i, NULLIF('l' || i, 'l7'), 's' || i, i "
                    + "FROM generate_series(1, 3000) i")
            try sql.rows("ANALYZE ticket")
            for (key, first) in [("serial", -3000), ("label", -7), ("shelf", -1)] as [(String, Int64)] {
                for ascending in [true, false] {
                    let sort = SortKey<ManagedObject>(keyPath: key, ascending: ascending)
                    let plan = try Self.plan(
                        container, sql.url, nil, [sort], limit: 10, entity: "Ticket")
                    #expect(plan.contains("ticket_\(key == "shelf" ? "shelf_place" : key)_key"), "\(plan)")
                    let serials = try await container.perform { context in
                        try context.fetch("Ticket", sortedBy: sort).compactMap { $0["serial"] as? Int64 }
                    }
                    #expect((ascending ? serials.first : serials.last) == first && serials.count == 3000)
                }
            }
        }
    }

    @Test func fetchesUseTheirIndexes() async throws {
        try await withStore(Self.model()) { container, sql in
            try sql.rows(Self.rows)
            try sql.rows("ANALYZE book")
            let link = try #require(URL(string: "http://x/5"))
            let cases: [(PredicateTree, String)] = [
                (.format("title == 'title 5'"), "book_title_idx"),
                (.format("title IN {'title 5', 'title 6'}"), "book_title_idx"),
                (.format("title BEGINSWITH 'title 77'"), "book_title_idx"),
                (.format("title > 'title 9998'"), "book_title_idx"),
                (.format("title == NULL"), "book_title_idx"), (.format("cover == NULL"), "book_cover_idx"),
                (.format("link == NULL"), "book_link_idx"), (.format("isbn == NULL"), "book_isbn_key"),
                (.format("title IN {NULL, 'title 5'}"), "book_title_idx"),
                (.format("title LIKE 'title 77*'"), "book_title_idx"),
                (.format("title LIKE 'title 77?'"), "book_title_idx"),
                (.format("title LIKE 'title 5'"), "book_title_idx"),
                (.format("title BETWEEN {'title 5', 'title 50'}"), "book_title_idx"),
                (.format("cover == %@", Data([1, 2])), "book_cover_idx"),
                (.format("cover IN %@", [Data([1, 2])]), "book_cover_idx"),
                (.format("link == %@", link), "book_link_idx"),
                (.format("blurb == 'blurb 5' AND title BEGINSWITH 'title 77'"), "book_both_idx"),
                (.format("code == 'c5'"), "book_code_key"),
                (.format("isbn == 'i5'"), "book_isbn_key"),
                (.format("isbn IN {'i5', 'i6'}"), "book_isbn_key"),
                (.format("year < 1900 AND year > 1890"), "book_old_idx"),
            ]
            for (predicate, index) in cases {
                let plan = try Self.plan(container, sql.url, predicate)
                #expect(plan.contains(index) && plan.contains("Index Cond"), "\(predicate): \(plan)")
            }
            for (key, index) in [
                (SortKey<ManagedObject>.key("title"), "book_title_idx"),
                (.key("title", ascending: false), "book_title_idx"), (.key("code"), "book_code_key"),
                (.key("blurb", ascending: false), "book_both_idx"),
            ] {
                let plan = try Self.plan(container, sql.url, nil, [key], limit: 5)
                #expect(plan.contains(index), "\(key): \(plan)")
            }
        }
    }

    /// Without a server.
    @Test func onlyColumnsWithSuchAnIndexAreComparedTwice() throws {
        let model = try Self.model()
        let layouts = try StoreLayout(model: model, schema: StoreSchema(model), storeIdentifier: UUID())
        let layout = try #require(layouts.layout(named: "Book"))
        func clause(_ format: String, _ keys: SortKey<ManagedObject>...) throws -> String {
            var request = Self.request(.format(format))
            request.sortDescriptors = keys
            let resolved = try RenderedFetch(request, layout: layout, layouts: layouts.entities)
            return resolved.condition + " ORDER BY " + resolved.order.joined(separator: ", ")
        }
        #expect(
            try clause("plain == 'a'", .key("plain")) == #" WHERE t0."plain" = $1"#
                + #" ORDER BY t0."plain" ASC NULLS FIRST, t0."_id""#)
        #expect(
            try clause("code IN {'a'}", .key("code"))
                == #" WHERE t0."code" = ANY($1) ORDER BY t0."code" ASC NULLS FIRST, t0."_id""#)
        #expect(
            try clause("isbn == 'a'")
                == #" WHERE (pg_catalog.md5(t0."isbn") = pg_catalog.md5($1) AND t0."isbn" = $1) ORDER BY t0."_id""#
        )
        #expect(
            try clause("link == 'a'", .key("link", ascending: false))
                == #" WHERE (pg_catalog.left(t0."link", 600) = pg_catalog.left($1, 600) AND t0."link" = $1)"#
                + #" ORDER BY pg_catalog.left(t0."link", 600) DESC NULLS LAST, t0."link" DESC NULLS LAST, t0."_id""#
        )
        #expect(try clause("link != 'a'") == #" WHERE t0."link" IS DISTINCT FROM $1 ORDER BY t0."_id""#)
        #expect(
            try clause("link == NULL")
                == #" WHERE (pg_catalog.left(t0."link", 600) IS NULL AND t0."link" IS NULL) ORDER BY t0."_id""#
        )
        #expect(try clause("plain == NULL") == #" WHERE t0."plain" IS NULL ORDER BY t0."_id""#)
        #expect(try clause("title LIKE 'a*'").contains("left"))
        for other in [
            "title LIKE '*a'", "title LIKE '?a'", "title LIKE '%a'", "NOT (title LIKE 'a*')", "title != NULL",
            "NOT (title IN {NULL, 'a'})", "plain LIKE 'a*'",
        ] { #expect(try !clause(other).contains("left"), "\(other)") }
        #expect(try !clause("NOT (link IN {'a'})").contains("left"))
        #expect(try !clause("link CONTAINS 'a' OR 'x' CONTAINS link").contains("left"))
    }

    @Test func noValueIsTooLongForAFetchIndex() async throws {
        try await withStore(Self.model()) { container, sql in
            try await container.perform { context in
                var random = SeededGenerator(seed: 7)
                let scalars = (0..<10_000).map { _ in
                    Unicode.Scalar(UInt32.random(in: 0x1F300...0x1F5FF, using: &random))
                }
                var text = ""
                text.unicodeScalars.append(contentsOf: scalars.compactMap { $0 })
                let book = context.insert("Book")
                book["title"] = text
                book["blurb"] = String(text.reversed())
                book["isbn"] = text
                book["cover"] = Data((0..<10_000).map { _ in UInt8.random(in: 0...255, using: &random) })
                book["link"] = URL(
                    string: "http://x/"
                        + (0..<10_000).map { _ in String(UInt8.random(in: 0...9, using: &random)) }.joined())
                try context.save()
                let title = try #require(book["title"] as? String)
                let cover = try #require(book["cover"] as? Data)
                #expect(try context.fetch(Self.request(.format("title == %@", title))) == [book])
                #expect(try context.fetch(Self.request(.format("cover == %@", cover))) == [book])
            }
        }
    }

    private static func request(_ predicate: PredicateTree?, _ keys: SortKey<ManagedObject>...)
        -> FetchRequest<ManagedObject>
    {
        var request = FetchRequest<ManagedObject>(entityName: "Book")
        request.predicate = predicate
        request.sortDescriptors = keys
        return request
    }

    @Test func theDatabaseAndMemoryAgreeOnLongTexts() async throws {
        try await withStore(Self.model()) { container, _ in
            try await container.perform { context in
                var random = SeededGenerator(seed: 11)
                let letters = ["a", "b", "é", "\u{10FFFF}", "🐘", ""]
                func tail() -> String {
                    (0..<3).map { _ in letters[Int.random(in: 0..<6, using: &random)] }.joined()
                }
                // Around the length that indexes hold.
                func text() -> String {
                    String(repeating: "x", count: Int.random(in: 324...330, using: &random)) + tail()
                }
                var books: [ManagedObject] = []
                for number in 0..<120 {
                    let book = context.insert("Book")
                    book["title"] = number % 10 == 0 ? nil : text()
                    book["cover"] = number % 10 == 1 ? nil : Data(text().utf8)
                    books.append(book)
                }
                try context.save()
                for _ in 0..<TestTier.choose(quick: 6, all: 40, nightly: 40) {
                    let (a, b) = (text(), text())
                    var predicates: [PredicateTree] = ["==", "!=", "<", "<=", ">", ">=", "BEGINSWITH"].map {
                        .format("title \($0) %@", a)
                    }
                    predicates += [
                        .format("title IN %@", [a, b]), .format("title BETWEEN %@", [min(a, b), max(a, b)]),
                        .format("NOT (title BEGINSWITH %@)", a), .format("NOT (title IN %@)", [a, b]),
                        .format("cover == %@", Data(a.utf8)), .format("cover IN %@", [Data(a.utf8)]),
                        .format("title == NULL"), .format("title IN {NULL, %@}", a),
                        .format("NOT (title == NULL)"), .format("cover == NULL"),
                        .format("title LIKE %@", a), .format("title LIKE %@", "\(a.dropLast())*"),
                        .format("title LIKE %@", "xx\(a.prefix(320))?*"),
                        .format("title LIKE[cd] %@", "X\(a.dropLast())*"),
                        .format("NOT (title LIKE %@)", "\(a.dropLast(2))*"),
                        .format("title LIKE %@", "x_\(a)*"), .format("title LIKE %@", "xx\\x*%*"),
                    ]
                    for predicate in predicates {
                        let found = Set(try context.fetch(Self.request(predicate)).map(\.objectID))
                        let expected = Set(
                            try books.filter { try predicate.evaluate(with: $0) }.map(\.objectID))
                        #expect(found == expected, "\(predicate)")
                    }
                }
                let titles = try context.fetch(Self.request(nil, .key("title"))).map {
                    $0["title"] as? String
                }
                let sorted = titles.sorted { a, b in
                    switch (a, b) {
                    case (nil, let b): b != nil
                    case (_, nil): false
                    case (let a?, let b?): a.utf8.lexicographicallyPrecedes(b.utf8)
                    }
                }
                #expect(titles == sorted)
            }
        }
    }
}
