internal import HowdahModel
internal import HowdahSchema
internal import PQClient

/// The schema in which the tables of the old model are while a mapping makes the new ones of them.
///
/// Tables take their indexes and constraints along, so that all names are free for the new ones.
package struct AsideSchema {
    private static let maximumLength = 63

    /// The name for the store in a schema, cut to what a name may be.
    package static func name(for schemaName: String) -> String {
        var name = "_howdah_old_" + schemaName
        while name.utf8.count > maximumLength { name.removeLast() }
        return name
    }

    /// The old model's tables, where they are.
    let old: StoreSchema
    /// Likewise, where they are put.
    let aside: StoreSchema
    /// The new model's tables.
    let new: StoreSchema

    private func name(_ table: StoreSchema.Table, in schema: StoreSchema) -> String {
        SQLIdentifier.quoted(schema.schemaName, table.name)
    }

    /// Puts the tables there, without triggers, whose functions name tables by their place.
    var arrival: MigrationStep {
        let namespace = SQLIdentifier.quoted(aside.schemaName)
        var statements = [refusalOfViews, refusalOfAttachments, Self.creation(of: aside.schemaName)]
        for table in old.tables {
            for trigger in table.triggers {
                statements.append(
                    "DROP TRIGGER \(SQLIdentifier.quoted(trigger.name)) ON \(name(table, in: old))")
                statements.append(
                    "DROP FUNCTION \(SQLIdentifier.quoted(old.schemaName, trigger.name))()")
            }
        }
        for table in old.tables {
            statements.append("ALTER TABLE \(name(table, in: old)) SET SCHEMA \(namespace)")
        }
        statements += FoldingFunctions.creation(in: aside)
        return MigrationStep(
            "the tables of the old model are moved to a temporary schema", on: old.tables.map(\.name),
            statements,
            lock: .accessExclusive)
    }

    /// Views would follow the tables out of the way, and be in it when these go, with all rows written.
    private var refusalOfViews: String {
        let names = old.tables.map { SQLLiteral.string($0.name) }.joined(separator: ", ")
        let body = """
            DECLARE found pg_catalog.text; BEGIN
                SELECT pg_catalog.string_agg(DISTINCT pg_catalog.format('%s over %I', v.oid::pg_catalog.regclass, t.relname), ', ')
                INTO found FROM pg_catalog.pg_depend d
                JOIN pg_catalog.pg_rewrite r
                    ON r.oid = d.objid AND d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
                JOIN pg_catalog.pg_class v ON v.oid = r.ev_class AND v.relkind IN ('v', 'm')
                JOIN pg_catalog.pg_class t
                    ON t.oid = d.refobjid AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
                JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
                    AND n.nspname = \(SQLLiteral.string(old.schemaName))
                WHERE t.relname IN (\(names.isEmpty ? "NULL" : names));
                IF found IS NOT NULL THEN
                    RAISE EXCEPTION 'views depend on tables that are created again: %', found
                        USING ERRCODE = 'dependent_objects_still_exist',
                            HINT = 'Drop these views before the migration, and create them again after the migration.';
                END IF; END
            """
        return "DO \(SQLLiteral.string(body))"
    }

    /// Drops them, one statement for all because of the foreign keys between them, and nothing that depends on them.
    var departure: MigrationStep {
        var statements: [String] = []
        if !old.tables.isEmpty {
            let names = old.tables.map { name($0, in: aside) }.joined(separator: ", ")
            statements.append("DROP TABLE \(names)")
        }
        for function in FoldingFunctions.names {
            statements.append(
                "DROP FUNCTION \(SQLIdentifier.quoted(aside.schemaName, function))(pg_catalog.text)")
        }
        statements.append("DROP SCHEMA \(SQLIdentifier.quoted(aside.schemaName))")
        return MigrationStep(
            "the tables of the old model are removed", on: old.tables.map(\.name), statements,
            lock: .accessExclusive)
    }

    /// A schema that the operator made for a role that may make none is taken as it is.
    private static func creation(of name: String) -> String {
        let body =
            "BEGIN IF pg_catalog.to_regnamespace(\(SQLLiteral.string(SQLIdentifier.quoted(name)))) IS NULL THEN "
            + "CREATE SCHEMA \(SQLIdentifier.quoted(name)); END IF; END"
        return "DO \(SQLLiteral.string(body))"
    }
}
