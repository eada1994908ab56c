internal import HowdahModel
internal import HowdahSchema
internal import PQClient

/// Things that others have attached to the tables. They are attached to the new tables again, or the stage is refused before
/// anything is done.
extension AsideSchema {
    /// Refuses what cannot be attached again, and row security of tables that have no successor of the same name.
    var refusalOfAttachments: String {
        let triggers = old.tables.flatMap { $0.triggers.map(\.name) }
        let columns = old.tables.flatMap { table in table.columns.map { "\(table.name).\($0.name)" } }
        let body = """
            DECLARE found pg_catalog.text; BEGIN
                WITH t AS (SELECT c.* FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                    WHERE n.nspname = \(SQLLiteral.string(old.schemaName)) AND c.relkind = 'r'
                        AND c.relname = ANY (\(Self.list(old.tables.map(\.name))))),
                things AS (
                    SELECT pg_catalog.format('publication %I of %I', p.pubname, t.relname) AS name
                    FROM t JOIN pg_catalog.pg_publication_rel r ON r.prrelid = t.oid
                    JOIN pg_catalog.pg_publication p ON p.oid = r.prpubid
                    UNION ALL SELECT pg_catalog.format('column %I of %I', a.attname, t.relname)
                    FROM t JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
                    WHERE t.relname || '.' || a.attname <> ALL (\(Self.list(columns)))
                    UNION ALL SELECT pg_catalog.format('trigger %I of %I', g.tgname, t.relname)
                    FROM t JOIN pg_catalog.pg_trigger g ON g.tgrelid = t.oid
                    WHERE NOT g.tgisinternal AND g.tgname <> ALL (\(Self.list(triggers)))
                        AND g.tgname NOT LIKE '\\_howdah\\_%'
                    UNION ALL SELECT pg_catalog.format('rule %I of %I', r.rulename, t.relname)
                    FROM t JOIN pg_catalog.pg_rewrite r ON r.ev_class = t.oid
                    UNION ALL SELECT pg_catalog.format('statistics object %I of %I', x.stxname, t.relname)
                    FROM t JOIN pg_catalog.pg_statistic_ext x ON x.stxrelid = t.oid
                    UNION ALL SELECT DISTINCT pg_catalog.format('security label of %I', t.relname)
                    FROM t JOIN pg_catalog.pg_seclabel l
                        ON l.objoid = t.oid AND l.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass
                    UNION ALL SELECT pg_catalog.format('replica identity of %I by an index', t.relname)
                    FROM t WHERE t.relreplident = 'i'
                    UNION ALL SELECT pg_catalog.format('row security of %I', t.relname)
                    FROM t WHERE t.relrowsecurity AND t.relname <> ALL (\(Self.list(new.tables.map(\.name))))
                    UNION ALL SELECT pg_catalog.format('row policy %I of %I, which reads %I', y.polname, t.relname, o.relname)
                    FROM t JOIN pg_catalog.pg_policy y ON y.polrelid = t.oid
                    JOIN pg_catalog.pg_depend d ON d.objid = y.oid
                        AND d.classid = 'pg_catalog.pg_policy'::pg_catalog.regclass
                        AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid <> t.oid
                    JOIN t AS o ON o.oid = d.refobjid)
                SELECT pg_catalog.string_agg(DISTINCT name, ', ') INTO found FROM things;
                IF found IS NOT NULL THEN
                    RAISE EXCEPTION 'tables are replaced and would lose: %', found
                        USING ERRCODE = 'dependent_objects_still_exist',
                            HINT = 'Drop these objects before the migration, and create them again after the migration.';
                END IF; END
            """
        return "DO \(SQLLiteral.string(body))"
    }

    /// Gives tables what was attached to those of the same name: rights, comments, storage parameters, statistics
    /// targets, replica identity, row policies. A role that only reads and writes goes on to.
    var attachments: MigrationStep {
        let statements = [rights, descriptions, policies].map { "DO " + SQLLiteral.string($0) }
        return MigrationStep(
            "rights, comments, settings and row policies of tables that keep their names",
            on: old.tables.map(\.name), statements, lock: .accessExclusive)
    }

    /// Tables (`o`, `n`) and columns (`b`, `c`) of the same names, before and now.
    private var tables: String {
        """
        pg_catalog.pg_class o
        JOIN pg_catalog.pg_namespace s ON s.oid = o.relnamespace AND s.nspname = \(SQLLiteral.string(aside.schemaName))
        JOIN pg_catalog.pg_class n ON n.relname = o.relname AND n.relkind = 'r' AND o.relkind = 'r'
        JOIN pg_catalog.pg_namespace m ON m.oid = n.relnamespace AND m.nspname = \(SQLLiteral.string(old.schemaName))
        """
    }

    private var columns: String {
        """
        \(tables)
        JOIN pg_catalog.pg_attribute b ON b.attrelid = o.oid AND b.attnum > 0 AND NOT b.attisdropped
        JOIN pg_catalog.pg_attribute c ON c.attrelid = n.oid AND c.attname = b.attname AND NOT c.attisdropped
        """
    }

    private var rights: String {
        """
        DECLARE g record; BEGIN FOR g IN
            SELECT n.oid::pg_catalog.regclass AS t, '' AS part, a.* FROM \(tables)
            CROSS JOIN LATERAL pg_catalog.aclexplode(o.relacl) a WHERE a.grantee <> o.relowner
            UNION ALL SELECT n.oid::pg_catalog.regclass, pg_catalog.format(' (%I)', c.attname), a.* FROM \(columns)
            CROSS JOIN LATERAL pg_catalog.aclexplode(b.attacl) a WHERE a.grantee <> o.relowner
        LOOP
            EXECUTE pg_catalog.format('GRANT %s%s ON TABLE %s TO %s%s', g.privilege_type, g.part, g.t,
                CASE WHEN g.grantee = 0 THEN 'PUBLIC'
                    ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(g.grantee)) END,
                CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END);
        END LOOP; END
        """
    }

    private var descriptions: String {
        """
        DECLARE g record; BEGIN FOR g IN
            SELECT pg_catalog.format('COMMENT ON TABLE %s IS %L', n.oid::pg_catalog.regclass,
                pg_catalog.obj_description(o.oid, 'pg_class')) AS command
            FROM \(tables) WHERE pg_catalog.obj_description(o.oid, 'pg_class') IS NOT NULL
            UNION ALL SELECT pg_catalog.format('COMMENT ON COLUMN %s.%I IS %L', n.oid::pg_catalog.regclass, c.attname,
                pg_catalog.col_description(o.oid, b.attnum))
            FROM \(columns) WHERE pg_catalog.col_description(o.oid, b.attnum) IS NOT NULL
            UNION ALL SELECT pg_catalog.format('ALTER TABLE %s SET (%s)', n.oid::pg_catalog.regclass,
                pg_catalog.array_to_string(o.reloptions, ', ')) FROM \(tables) WHERE o.reloptions IS NOT NULL
            UNION ALL SELECT pg_catalog.format('ALTER TABLE %s SET (toast.%s)', n.oid::pg_catalog.regclass,
                pg_catalog.array_to_string(x.reloptions, ', toast.'))
            FROM \(tables) JOIN pg_catalog.pg_class x ON x.oid = o.reltoastrelid WHERE x.reloptions IS NOT NULL
            UNION ALL SELECT pg_catalog.format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS %s',
                n.oid::pg_catalog.regclass, c.attname, b.attstattarget) FROM \(columns) WHERE b.attstattarget >= 0
            UNION ALL SELECT pg_catalog.format('ALTER TABLE %s REPLICA IDENTITY %s', n.oid::pg_catalog.regclass,
                CASE o.relreplident WHEN 'f' THEN 'FULL' ELSE 'NOTHING' END)
            FROM \(tables) WHERE o.relreplident IN ('f', 'n')
        LOOP
            EXECUTE g.command;
        END LOOP; END
        """
    }

    private var policies: String {
        """
        DECLARE g record; BEGIN
            FOR g IN SELECT n.oid::pg_catalog.regclass AS t, y.polname, pg_catalog.format(
                    'CREATE POLICY %I ON %s AS %s FOR %s TO %s%s%s', y.polname, n.oid::pg_catalog.regclass,
                    CASE WHEN y.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
                    CASE y.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE'
                        WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
                    (SELECT pg_catalog.string_agg(CASE WHEN r = 0 THEN 'PUBLIC'
                        ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(r)) END, ', ')
                        FROM pg_catalog.unnest(y.polroles) r),
                    ' USING (' || pg_catalog.pg_get_expr(y.polqual, y.polrelid) || ')',
                    ' WITH CHECK (' || pg_catalog.pg_get_expr(y.polwithcheck, y.polrelid) || ')') AS command
                FROM \(tables) JOIN pg_catalog.pg_policy y ON y.polrelid = o.oid
            LOOP
                BEGIN
                    EXECUTE g.command;
                EXCEPTION WHEN OTHERS THEN
                    RAISE EXCEPTION 'the row policy % does not fit the new table %: %', g.polname, g.t, SQLERRM
                        USING ERRCODE = 'dependent_objects_still_exist',
                            HINT = 'Drop it before the migration, and make another one after it.';
                END;
            END LOOP;
            FOR g IN SELECT n.oid::pg_catalog.regclass AS t, o.relrowsecurity, o.relforcerowsecurity FROM \(tables) LOOP
                IF g.relrowsecurity THEN EXECUTE pg_catalog.format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', g.t); END IF;
                IF g.relforcerowsecurity THEN EXECUTE pg_catalog.format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', g.t); END IF;
            END LOOP; END
        """
    }

    private static func list(_ names: [String]) -> String {
        "ARRAY[" + names.map { SQLLiteral.string($0) }.joined(separator: ", ") + "]::pg_catalog.text[]"
    }
}
