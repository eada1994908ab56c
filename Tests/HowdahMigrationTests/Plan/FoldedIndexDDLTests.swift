import HowdahModel
import Testing

@testable import HowdahMigration

/// Rules and indexes over case-insensitive strings, as SQL.
@Suite struct FoldedIndexDDLTests {
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
