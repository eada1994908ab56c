import HowdahModel
import HowdahSchema
import Testing

/// The text of CREATE INDEX.
struct IndexSQLTests {
    private static func statements(_ indexes: [FetchIndexDescription]) throws -> [String] {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Book",
                properties: [
                    .attribute("title", .string), .attribute("isbn", .string, maximumLength: 13),
                    .attribute("year", .integer32), .attribute("cover", .binary),
                    .attribute("extra", .transformable, userInfo: [MappingKey.jsonb: "true"]),
                ], uniquenessConstraints: [["isbn"]], fetchIndexes: indexes)
        ])
        return SchemaCreation(try StoreSchema(model, schemaName: "s")).statements.filter {
            $0.contains(" INDEX ")
        }
    }

    @Test func nullIsTheSmallestValue() throws {
        let index = FetchIndexDescription(
            "i", elements: [FetchIndexElement("year", ascending: false), FetchIndexElement("title")],
            partialIndexPredicate: "year > 1900 AND title != nil")
        #expect(
            try Self.statements([index]) == [
                #"CREATE UNIQUE INDEX "book_isbn_key" ON "s"."book" ("isbn" ASC NULLS FIRST)"#,
                #"CREATE INDEX "book_i_idx" ON "s"."book" ("year" DESC NULLS LAST, "#
                    + #"pg_catalog.left("title", 600) ASC NULLS FIRST) WHERE (("year" > 1900) AND ("title" IS NOT NULL))"#,
            ])
    }

    @Test func methodsAndExpressionsAreSpelledOut() throws {
        let indexes = [
            FetchIndexDescription("a", elements: [.expression("lower(title)", ascending: false)]),
            FetchIndexDescription("b", on: "extra", method: .gin),
            FetchIndexDescription("c", on: "title", method: .hash),
            FetchIndexDescription("d", on: "year", "cover", method: .brin),
            FetchIndexDescription("e", on: "isbn"),
        ]
        #expect(
            try Self.statements(indexes) == [
                #"CREATE UNIQUE INDEX "book_isbn_key" ON "s"."book" ("isbn" ASC NULLS FIRST)"#,
                #"CREATE INDEX "book_a_idx" ON "s"."book" ((lower(title)) DESC NULLS LAST)"#,
                #"CREATE INDEX "book_b_idx" ON "s"."book" USING gin ("extra")"#,
                #"CREATE INDEX "book_c_idx" ON "s"."book" USING hash ("title")"#,
                #"CREATE INDEX "book_d_idx" ON "s"."book" USING brin ("year", pg_catalog.substring("cover", 1, 2400))"#,
            ])
    }
}
