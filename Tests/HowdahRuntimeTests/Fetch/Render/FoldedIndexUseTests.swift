import Foundation
import Howdah
import HowdahModel
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// Fetches that compare folded find the indexes that hold folded texts.
@Suite struct FoldedIndexUseTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Book",
                properties: [
                    .attribute("title", .string, caseInsensitive: true),
                    .attribute("code", .string, caseInsensitive: true, maximumLength: 40),
                    .attribute("mark", .string, caseInsensitive: true, maximumLength: 40),
                    .attribute("isbn", .string, caseInsensitive: true, userInfo: [MappingKey.digest: "true"]),
                    .attribute("plain", .string), .attribute("other", .string),
                    .attribute("loose", .string),
                ], uniquenessConstraints: [["code"], ["isbn"]],
                fetchIndexes: [
                    FetchIndexDescription("title", on: "title"), FetchIndexDescription("mark", on: "mark"),
                    FetchIndexDescription("other", on: "other"),
                    FetchIndexDescription("loose", elements: [.folded("loose")]),
                ])
        ])
    }

    private static func statement(
        _ layouts: StoreLayout, _ format: String?, _ keys: [SortKey<ManagedObject>] = [], limit: Int = 0
    ) throws -> FetchStatement {
        let layout = try #require(layouts.layout(named: "Book"))
        var request = FetchRequest<ManagedObject>(entityName: "Book")
        request.predicate = format.map { .format($0) }
        request.sortDescriptors = keys
        let resolved = try RenderedFetch(request, layout: layout, layouts: layouts.entities)
        return FetchStatement(resolved, selection: layouts.identities(of: layout), limit: limit, offset: 0)
    }

    @Test func fetchesUseTheirIndexes() async throws {
        try await withStore(Self.model()) { container, sql in
            try sql.rows(
                """
                INSERT INTO book (title, code, mark, isbn, plain, loose) SELECT 'Title ' || i, 'C' || i, 'M' || i % 1000,
                'I' || i, 'P' || i, 'Ł' || i FROM generate_series(1, 3000) i
                """)
            try sql.rows("CREATE INDEX by_hand ON book (_howdah_fold_c_1(plain))")
            try sql.rows("CREATE INDEX by_hand_too ON book (_howdah_fold_cd_1(plain))")
            try sql.rows("ANALYZE book")
            let connection = try Connection(ConnectionConfiguration(sql.url))
            defer { connection.close() }
            try connection.executeScript("SET enable_seqscan = off")
            func plan(_ statement: FetchStatement) throws -> String {
                let result = try connection.query(
                    "EXPLAIN (COSTS OFF) " + statement.sql, statement.parameters, cached: false)
                return (0..<result.rowCount).map { result.row($0)[0].string() }.joined(separator: "\n")
            }
            for (format, index) in [
                ("title == 'title 5'", "book_title_idx"), ("title ==[c] 'title 5'", "book_title_idx"),
                ("title IN {'title 5', 'TITLE 6'}", "book_title_idx"),
                ("title BEGINSWITH 'tITLE 77'", "book_title_idx"), ("title > 'title 9998'", "book_title_idx"),
                ("title BETWEEN {'title 5', 'title 50'}", "book_title_idx"),
                ("title LIKE 'tITLE 77*'", "book_title_idx"), ("title == NULL", "book_title_idx"),
                ("loose LIKE[cd] 'Ł77*'", "book_loose_idx"), ("code == 'c5'", "book_code_key"),
                ("code IN {'c5', 'c6'}", "book_code_key"), ("code BEGINSWITH 'c77'", "book_code_key"),
                ("mark == 'm7'", "book_mark_idx"), ("mark >= 'm999'", "book_mark_idx"),
                ("isbn == 'i5'", "book_isbn_key"), ("isbn IN[c] {'i5', 'I6'}", "book_isbn_key"),
                ("plain ==[c] 'p5'", "by_hand"), ("plain IN[c] {'p5', 'p6'}", "by_hand"),
                ("plain BEGINSWITH[c] 'P77'", "by_hand"), ("plain ==[cd] 'p5'", "by_hand_too"),
            ] {
                let plan = try plan(Self.statement(container.store.layouts, format))
                #expect(
                    plan.contains("on \(index) ") || plan.contains("on \(index)\n")
                        || plan.contains("using \(index) "), "\(format): \(plan)")
                #expect(plan.contains("Index Cond"), "\(format): \(plan)")
            }
            for (key, index) in [
                (SortKey<ManagedObject>.key("title"), "book_title_idx"),
                (.key("mark", ascending: false), "book_mark_idx"),
            ] {
                let plan = try plan(Self.statement(container.store.layouts, nil, [key], limit: 5))
                #expect(plan.contains(index), "\(key): \(plan)")
            }
        }
    }

    /// Without a server.
    @Test func theTextsOfFetches() throws {
        let model = try Self.model()
        let layouts = try StoreLayout(
            model: model, schema: StoreSchema(model, schemaName: "s"), storeIdentifier: UUID())
        let c = #""s"."_howdah_fold_c_1""#
        let (cd, d) = (#""s"."_howdah_fold_cd_1""#, #""s"."_howdah_fold_d_1""#)
        for (format, condition) in [
            ("mark == 'a'", #"\#(c)(t0."mark") = \#(c)($1)"#), ("mark ==[n] 'a'", #"t0."mark" = $1"#),
            ("mark !=[cd] 'a'", #"\#(cd)(t0."mark") IS DISTINCT FROM \#(cd)($1)"#),
            ("plain ==[d] 'a'", #"\#(d)(t0."plain") = \#(d)($1)"#),
            ("'a' <[c] plain", #"\#(c)(t0."plain") > \#(c)($1)"#),
            ("plain == mark", #"\#(c)(t0."plain") IS NOT DISTINCT FROM \#(c)(t0."mark")"#),
            ("mark LIKE 'a*'", #"\#(c)(t0."mark") LIKE \#(c)($1) ESCAPE E'\\'"#),
            ("mark MATCHES 'a'", #"t0."mark" OPERATOR(pg_catalog.~) $1"#),
            (
                "plain IN[c] {'a'}",
                #"\#(c)(t0."plain") = ANY(ARRAY(SELECT \#(c)(v) FROM pg_catalog.unnest($1) v))"#
            ),
            (
                "title == 'a'",
                #"(pg_catalog.left(\#(c)(t0."title"), 600) = pg_catalog.left(\#(c)($1), 600) AND \#(c)(t0."title") = \#(c)($1))"#
            ),
            // The index holds something else.
            ("title ==[cd] 'a'", #"\#(cd)(t0."title") = \#(cd)($1)"#),
            ("title ==[n] 'a'", #"t0."title" = $1"#),
            ("other ==[c] 'a'", #"\#(c)(t0."other") = \#(c)($1)"#),
            (
                "other == 'a'",
                #"(pg_catalog.left(t0."other", 600) = pg_catalog.left($1, 600) AND t0."other" = $1)"#
            ),
        ] {
            let sql = try Self.statement(layouts, format).sql
            #expect(sql.contains(" WHERE " + condition + " ORDER BY"), "\(format): \(sql)")
        }
        let sorted = try Self.statement(layouts, nil, [.key("mark"), .key("plain", ascending: false)]).sql
        #expect(
            sorted.hasSuffix(
                #" ORDER BY \#(c)(t0."mark") ASC NULLS FIRST, t0."plain" DESC NULLS LAST, "#
                    + #"t0."mark" ASC NULLS FIRST, t0."_id""#), "\(sorted)")
    }
}
