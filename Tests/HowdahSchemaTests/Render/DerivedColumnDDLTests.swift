import HowdahModel
import HowdahSchema
import Testing

struct DerivedColumnDDLTests {
    @Test func derivedAttributesBecomeGeneratedOrPlainColumns() throws {
        let place = CompositeDescription("Place", [.init("city", .string)])
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Person",
                properties: [
                    .attribute("name", .string, optional: false), .attribute("place", .composite(place)),
                    .attribute("key", .string, optional: false, derivation: "canonical:(name)"),
                    .attribute("city", .string, derivation: "place.city"),
                    .attribute("upper", .string, derivation: "uppercase:(name)"),
                    .attribute("lower", .string, derivation: "lowercase:(name)"),
                    .attribute("changed", .date, optional: false, derivation: "now()"),
                    .attribute("friendCount", .integer16, derivation: "friends.@count"),
                    .attribute("weight", .decimal, optional: false, derivation: "friends.@sum.size"),
                    .attribute("bestName", .string, derivation: "best.name"),
                    .attribute("size", .decimal),
                    .relationship("best", to: "Person", inverse: "friends"),
                    .relationship("friends", to: "Person", inverse: "best", toMany: true),
                ]),
            EntityDescription(
                "Poet", superentity: "Person",
                properties: [
                    .attribute("pen", .string, optional: false),
                    .attribute("penKey", .string, optional: false, derivation: "canonical:(pen)"),
                    .attribute("again", .string, optional: false, derivation: "name"),
                    .attribute("admirers", .integer64, optional: false, derivation: "friends.@count"),
                ]),
        ])
        let statements = SchemaCreation(try StoreSchema(model, schemaName: "s")).statements
        let table = try #require(statements.first { $0.hasPrefix("CREATE TABLE \"s\".\"person\"") })
        let text = #"pg_catalog.text COLLATE pg_catalog."C""#
        let icu = #"COLLATE pg_catalog."und-x-icu""#
        for line in [
            #""key" \#(text) NOT NULL GENERATED ALWAYS AS ("s"."_howdah_fold_cd_1"("name")) STORED"#,
            #""city" \#(text) GENERATED ALWAYS AS ("place_city") STORED"#,
            #""upper" \#(text) GENERATED ALWAYS AS (pg_catalog.normalize(pg_catalog.upper("name" \#(icu)), 'NFC')) STORED"#,
            #""lower" \#(text) GENERATED ALWAYS AS (pg_catalog.normalize(pg_catalog.lower("name" \#(icu)), 'NFC')) STORED"#,
            #""changed" timestamp with time zone NOT NULL"#,
            #""friend_count" smallint DEFAULT 0"#,
            #""weight" numeric NOT NULL DEFAULT 0"#,
            #""best_name" \#(text)"#,
            #""poet_pen_key" \#(text) GENERATED ALWAYS AS ("s"."_howdah_fold_cd_1"("poet_pen")) STORED"#,
            #""poet_again" \#(text) GENERATED ALWAYS AS ("name") STORED"#,
            #""poet_admirers" bigint"#,
        ] {
            #expect(table.contains("    " + line + ",\n"), "\(line)")
        }
        // The functions come before the first table, which needs them.
        let function = try #require(statements.firstIndex { $0.hasPrefix("CREATE FUNCTION") })
        #expect(function < (statements.firstIndex(of: table) ?? 0))
    }

    /// The text of a function is a promise to indexes: another text needs another name.
    @Test func theFoldingFunctionsHaveThisText() throws {
        let schema = try StoreSchema(
            try ManagedObjectModel(entities: [EntityDescription("A")]), schemaName: "s")
        let functions = SchemaCreation(schema).statements.filter { $0.hasPrefix("CREATE FUNCTION") }
        #expect(functions.joined(separator: ";\n") + ";" == foldingFunctions)
    }
}
