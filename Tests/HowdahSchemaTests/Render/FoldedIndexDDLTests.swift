import Foundation
import HowdahModel
import HowdahSchema
import Testing

@testable import HowdahMigration

/// Rules and indexes over case-insensitive strings, as SQL.
@Suite struct FoldedIndexDDLTests {
    /// Without limit they hold the beginning, as do those of plain texts; functions come before what calls them.
    @Test func foldedIndexesOfPlainTexts() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Book",
                properties: [
                    .attribute("title", .string, userInfo: [MappingKey.foldedIndex: "cd"]),
                    .attribute("code", .string, maximumLength: 40),
                    .attribute("nick", .string, caseInsensitive: true, maximumLength: 40),
                ],
                fetchIndexes: [
                    FetchIndexDescription("code", elements: [.folded("code", options: .caseInsensitive)]),
                    FetchIndexDescription("hash", elements: [.folded("title")], method: .hash),
                    FetchIndexDescription("nick", elements: [.folded("nick", options: .caseInsensitive)]),
                    FetchIndexDescription(
                        "nicks", elements: [.folded("nick", options: .diacriticInsensitive, ascending: false)]
                    ),
                ])
        ])
        let creation = SchemaCreation(try StoreSchema(model, schemaName: "s"))
        #expect(
            creation.statements.filter { $0.hasPrefix("CREATE INDEX") } == [
                #"CREATE INDEX "book_by_title_folded_idx" ON "s"."book" "#
                    + #"(pg_catalog.left("s"."_howdah_fold_cd_1"("title"), 600) ASC NULLS FIRST)"#,
                #"CREATE INDEX "book_code_idx" ON "s"."book" ("s"."_howdah_fold_c_1"("code") ASC NULLS FIRST)"#,
                #"CREATE INDEX "book_hash_idx" ON "s"."book" USING hash ("s"."_howdah_fold_cd_1"("title"))"#,
                #"CREATE INDEX "book_nick_idx" ON "s"."book" ("s"."_howdah_fold_c_1"("nick") ASC NULLS FIRST)"#,
                #"CREATE INDEX "book_nicks_idx" ON "s"."book" ("s"."_howdah_fold_cd_1"("nick") DESC NULLS LAST)"#,
            ])
        let functions = creation.statements.lastIndex { $0.hasPrefix("CREATE FUNCTION") }
        let indexes = creation.statements.firstIndex { $0.hasPrefix("CREATE INDEX") }
        #expect(try #require(functions) < #require(indexes))
        #expect(creation.probes.allSatisfy { !$0.sql.contains("_howdah_fold") })
        let decoded = try JSONDecoder().decode(
            ManagedObjectModel.self, from: JSONEncoder().encode(model))
        #expect(decoded == model && decoded.versionChecksum == model.versionChecksum)
    }

    @Test(arguments: [
        (PropertyDescription.attribute("x", .integer64), FetchIndexElement.folded("x")),
        (.attribute("x", .string), .folded("x", options: [])),
        (.attribute("x", .integer64, userInfo: [MappingKey.foldedIndex: "cd"]), "x"),
        (.attribute("x", .string, userInfo: [MappingKey.foldedIndex: "YES"]), "x"),
        (.attribute("x", .string, transient: true), .folded("x")),
        (.attribute("x", .string), .expression("_howdah_fold_cd_1(x)")),
    ])
    func whatCannotBeFoldedIsRefused(_ property: PropertyDescription, _ element: FetchIndexElement) {
        #expect(throws: ModelError.self) {
            let model = try ManagedObjectModel(entities: [
                EntityDescription(
                    "Book", properties: [property],
                    fetchIndexes: [FetchIndexDescription("i", elements: [element])])
            ])
            _ = try StoreSchema(model, schemaName: "s")
        }
    }

    @Test func theyAreOverTheFoldingFunction() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "User",
                properties: [
                    .attribute("name", .string, optional: false, caseInsensitive: true, maximumLength: 40),
                    .attribute("realm", .integer16), .attribute("note", .string, caseInsensitive: true),
                    .attribute("key", .string, caseInsensitive: true, userInfo: [MappingKey.digest: "true"]),
                ], uniquenessConstraints: [["name"], ["realm", "note"], ["key"]],
                fetchIndexes: [
                    FetchIndexDescription("byNote", elements: [FetchIndexElement("note", ascending: false)])
                ])
        ])
        let creation = SchemaCreation(try StoreSchema(model, schemaName: "s"))
        let made = creation.statements.filter { $0.contains("INDEX") || $0.contains("UNIQUE") }
        #expect(
            made == [
                #"CREATE UNIQUE INDEX "user_name_key" ON "s"."user" ("s"."_howdah_fold_c_1"("name"))"#,
                #"CREATE UNIQUE INDEX "user_realm_note_key" ON "s"."user" ("realm", "s"."_howdah_fold_c_1"("note"))"#,
                #"CREATE UNIQUE INDEX "user_key_key" ON "s"."user" (pg_catalog.md5("s"."_howdah_fold_c_1"("key")))"#,
                #"CREATE INDEX "user_by_note_idx" ON "s"."user" "#
                    + #"(pg_catalog.left("s"."_howdah_fold_c_1"("note"), 600) DESC NULLS LAST)"#,
            ])
        #expect(creation.probes.allSatisfy { !$0.sql.contains("_howdah_fold") })
    }
}
