import HowdahModel
import HowdahSchema
import Testing

/// The text of functions and triggers for delete rules.
struct DeleteTriggerSQLTests {
    private static func statements(
        _ rule: DeleteRule, toMany: Bool = false, flag: Bool = true
    ) throws -> [String] {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "A",
                properties: [
                    .relationship(
                        "b", to: "B", toMany: toMany, deleteRule: rule,
                        userInfo: flag ? [MappingKey.deleteTrigger: "YES"] : [:])
                ]), EntityDescription("B"),
        ])
        return SchemaCreation(try StoreSchema(model, schemaName: "s")).statements.filter {
            $0.contains("TRIGGER") || $0.contains("plpgsql")
        }
    }

    @Test func cascadeOfAColumnIsAStatementTrigger() throws {
        #expect(
            try Self.statements(.cascade) == [
                #"""
                CREATE FUNCTION "s"."a_b_cascade"() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS '
                BEGIN
                    IF pg_catalog.current_setting(''howdah.save'', true) = ''on'' OR NOT EXISTS (SELECT FROM gone WHERE gone."b" IS NOT NULL) THEN
                        RETURN NULL;
                    END IF;
                    WITH RECURSIVE reached(k) AS (SELECT gone."b" FROM gone)
                    DELETE FROM "s"."b" AS t WHERE t."_id" IN (SELECT reached.k FROM reached);
                    RETURN NULL;
                END
                '
                """#,
                #"CREATE TRIGGER "a_b_cascade" AFTER DELETE ON "s"."a" REFERENCING OLD TABLE AS gone "#
                    + #"FOR EACH STATEMENT EXECUTE FUNCTION "s"."a_b_cascade"()"#,
            ])
    }

    @Test func denyOfAColumnIsAConstraintTrigger() throws {
        let statements = try Self.statements(.deny)
        #expect(statements.count == 2)
        #expect(statements[0].contains("ERRCODE = ''foreign_key_violation''"))
        #expect(statements[0].contains("A.b denies the deletion"))
        #expect(
            statements[1]
                == #"CREATE CONSTRAINT TRIGGER "a_b_deny" AFTER DELETE ON "s"."a" DEFERRABLE INITIALLY IMMEDIATE "#
                + #"FOR EACH ROW WHEN (OLD."b" IS NOT NULL) EXECUTE FUNCTION "s"."a_b_deny"()"#)
    }

    @Test func rulesOfLinksAreKeptWhereTheRowsGo() throws {
        #expect(try Self.statements(.cascade, toMany: true)[1].contains(#"AFTER DELETE ON "s"."a_b" "#))
        #expect(try Self.statements(.noAction, toMany: true)[1].contains(#"AFTER DELETE ON "s"."a" "#))
    }

    @Test func whatForeignKeysKeepHasNoTrigger() throws {
        #expect(try Self.statements(.deny, toMany: true).isEmpty)
        #expect(try Self.statements(.nullify).isEmpty && Self.statements(.nullify, toMany: true).isEmpty)
        #expect(try Self.statements(.cascade, flag: false).isEmpty)
    }
}
