package import PQClient

extension DatabaseSchema {
    /// Reads the schema of that name; one round trip.
    ///
    /// - Throws: `PostgresError`; what the role may not see is not read.
    package init(named name: String, on connection: Connection) throws {
        var parameters = Parameters()
        try parameters.append(name)
        let result = try connection.query(Self.statement, parameters, cached: false)
        try self.init(
            json: result.map { $0[0].string() }.first ?? #"{"exists":false,"tables":[],"others":[]}"#)
    }

    /// Connects, reads the schema of that name, and disconnects.
    ///
    /// - Throws: `PostgresError`.
    package init(_ url: String, named name: String) throws {
        let connection = try Connection(ConnectionConfiguration(url))
        defer { connection.close() }
        try self.init(named: name, on: connection)
    }

    /// Source: PostgreSQL's system catalogs, <https://www.postgresql.org/docs/current/catalogs.html>.
    private static let statement = """
        WITH space AS (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1),
        default_collation AS (
            SELECT d.datcollate IN ('C', 'POSIX')
                AND COALESCE(pg_catalog.to_jsonb(d) ->> 'datlocprovider'::pg_catalog.text, 'c') = 'c' AS is_bytewise
            FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()
        ),
        relations AS (
            SELECT c.oid, c.relname, c.relkind, c.relhassubclass, c.relrowsecurity FROM pg_catalog.pg_class c, space
            WHERE c.relnamespace = space.oid AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
        ),
        columns AS (
            SELECT a.attrelid AS oid, pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
                'name', a.attname, 'type', b.typname, 'spelling', pg_catalog.format_type(a.atttypid, a.atttypmod),
                'elementType', (SELECT e.typname FROM pg_catalog.pg_type e WHERE e.oid = b.typelem AND b.typcategory = 'A'),
                'labels', (SELECT pg_catalog.jsonb_agg(e.enumlabel ORDER BY e.enumsortorder)
                    FROM pg_catalog.pg_enum e WHERE e.enumtypid = b.oid),
                'length', CASE WHEN b.typname IN ('varchar', 'bpchar')
                    AND GREATEST(a.atttypmod, t.typtypmod) > 4 THEN GREATEST(a.atttypmod, t.typtypmod) - 4 END,
                'isDomain', t.typtype = 'd',
                'isNullable', NOT a.attnotnull, 'expression', pg_catalog.pg_get_expr(d.adbin, d.adrelid),
                'isGenerated', a.attgenerated <> '', 'isIdentity', a.attidentity <> '',
                'isAlwaysIdentity', a.attidentity = 'a', 'typeNumber', b.oid::pg_catalog.int8,
                'isBytewise', a.attcollation = 0 OR CASE l.collprovider
                    WHEN 'd' THEN default_collation.is_bytewise ELSE l.collcollate IN ('C', 'POSIX') END IS TRUE,
                'isDeterministic', COALESCE(l.collisdeterministic, true),
                'sequence', (SELECT pg_catalog.jsonb_build_object('schema', n.nspname, 'name', s.relname)
                    FROM pg_catalog.pg_depend p
                    JOIN pg_catalog.pg_class s ON s.relkind = 'S' AND s.oid = CASE p.classid
                        WHEN 'pg_catalog.pg_class'::pg_catalog.regclass THEN p.objid ELSE p.refobjid END
                    JOIN pg_catalog.pg_namespace n ON n.oid = s.relnamespace
                    WHERE (p.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND p.deptype = 'i'
                            AND p.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
                            AND p.refobjid = a.attrelid AND p.refobjsubid = a.attnum)
                        OR (p.classid = 'pg_catalog.pg_attrdef'::pg_catalog.regclass AND p.objid = d.oid
                            AND p.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass)
                    LIMIT 1)
            ) ORDER BY a.attnum) AS list
            FROM pg_catalog.pg_attribute a
            CROSS JOIN default_collation
            JOIN relations r ON r.oid = a.attrelid
            JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
            JOIN pg_catalog.pg_type b ON b.oid = CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END
            LEFT JOIN pg_catalog.pg_collation l ON l.oid = a.attcollation
            LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
            WHERE a.attnum > 0 AND NOT a.attisdropped GROUP BY a.attrelid
        ),
        constraints AS (
            SELECT c.conrelid AS oid, pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
                'kind', c.contype, 'name', c.conname, 'definition', pg_catalog.pg_get_constraintdef(c.oid),
                'columns', COALESCE((SELECT pg_catalog.jsonb_agg(a.attname ORDER BY k.place)
                    FROM pg_catalog.unnest(c.conkey) WITH ORDINALITY AS k (number, place)
                    JOIN pg_catalog.pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.number), '[]'),
                'referencedTable', (SELECT CASE WHEN f.relnamespace = space.oid THEN f.relname::pg_catalog.text
                    ELSE f.oid::pg_catalog.regclass::pg_catalog.text END
                    FROM pg_catalog.pg_class f, space WHERE f.oid = c.confrelid),
                'referencedColumns', (SELECT pg_catalog.jsonb_agg(a.attname ORDER BY k.place)
                    FROM pg_catalog.unnest(c.confkey) WITH ORDINALITY AS k (number, place)
                    JOIN pg_catalog.pg_attribute a ON a.attrelid = c.confrelid AND a.attnum = k.number),
                'deleteAction', c.confdeltype, 'isDeferrable', c.condeferrable,
                'isNullEqual', COALESCE((SELECT pg_catalog.to_jsonb(i) ->> 'indnullsnotdistinct'::pg_catalog.text
                    FROM pg_catalog.pg_index i WHERE i.indexrelid = c.conindid AND c.contype = 'u'), 'false')::pg_catalog.bool
            ) ORDER BY c.conname) AS list
            FROM pg_catalog.pg_constraint c JOIN relations r ON r.oid = c.conrelid
            WHERE c.contype IN ('p', 'u', 'f', 'c', 'x') GROUP BY c.conrelid
        ),
        indexes AS (
            SELECT i.indrelid AS oid, pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
                'name', c.relname, 'method', m.amname, 'isUnique', i.indisunique,
                'isNullEqual', COALESCE(pg_catalog.to_jsonb(i) ->> 'indnullsnotdistinct'::pg_catalog.text, 'false')::pg_catalog.bool,
                'hasPayload', i.indnatts > i.indnkeyatts,
                'predicate', pg_catalog.pg_get_expr(i.indpred, i.indrelid),
                'elements', (SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
                    'column', a.attname, 'definition', pg_catalog.pg_get_indexdef(i.indexrelid, place, true),
                    'isDescending', (i.indoption[place - 1] & 1) = 1,
                    'operatorClass', CASE WHEN NOT o.opcdefault THEN o.opcname END) ORDER BY place)
                    FROM pg_catalog.generate_series(1, i.indnkeyatts) AS place
                    LEFT JOIN pg_catalog.pg_opclass o ON o.oid = i.indclass[place - 1]
                    LEFT JOIN pg_catalog.pg_attribute a
                        ON a.attrelid = i.indrelid AND a.attnum = i.indkey[place - 1] AND i.indkey[place - 1] > 0)
            ) ORDER BY c.relname) AS list
            FROM pg_catalog.pg_index i
            JOIN relations r ON r.oid = i.indrelid
            JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
            JOIN pg_catalog.pg_am m ON m.oid = c.relam
            WHERE NOT EXISTS (SELECT 1 FROM pg_catalog.pg_constraint k WHERE k.conindid = i.indexrelid
                AND k.contype IN ('p', 'u', 'x'))
            GROUP BY i.indrelid
        )
        SELECT pg_catalog.jsonb_build_object(
            'exists', EXISTS (SELECT FROM space),
            'tables', COALESCE(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
                'name', r.relname, 'columns', COALESCE(columns.list, '[]'),
                'constraints', COALESCE(constraints.list, '[]'), 'indexes', COALESCE(indexes.list, '[]'),
                'hasRowSecurity', r.relrowsecurity,
                'triggers', COALESCE((SELECT pg_catalog.jsonb_agg(g.tgname ORDER BY g.tgname)
                    FROM pg_catalog.pg_trigger g WHERE g.tgrelid = r.oid AND NOT g.tgisinternal), '[]'),
                'rules', COALESCE((SELECT pg_catalog.jsonb_agg(w.rulename ORDER BY w.rulename)
                    FROM pg_catalog.pg_rewrite w WHERE w.ev_class = r.oid), '[]'),
                'isPartitioned', r.relkind = 'p', 'hasChildren', r.relkind = 'r' AND r.relhassubclass
                    AND EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhparent = r.oid),
                'parents', COALESCE((SELECT pg_catalog.jsonb_agg(p.relname ORDER BY i.inhseqno)
                    FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class p ON p.oid = i.inhparent
                    WHERE i.inhrelid = r.oid), '[]')
            ) ORDER BY r.relname) FILTER (WHERE r.relkind IN ('r', 'p')), '[]'),
            'others', COALESCE(pg_catalog.jsonb_agg(r.relname ORDER BY r.relname)
                FILTER (WHERE r.relkind NOT IN ('r', 'p')), '[]')
        )::pg_catalog.text
        FROM relations r
        LEFT JOIN columns ON columns.oid = r.oid
        LEFT JOIN constraints ON constraints.oid = r.oid
        LEFT JOIN indexes ON indexes.oid = r.oid
        """
}
