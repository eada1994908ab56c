internal import Foundation
package import PQClient

/// What the server's catalog says of a schema, object by object, as text that two stores can be compared by.
///
/// The order of columns, and what the library keeps about the store itself, are no part of it.
package struct StoreCatalogue: Hashable, Sendable, Codable {
    /// What an object is, by what it is called: `column person.name` is `text COLLATE "C" NOT NULL`.
    package let entries: [String: String]

    init(entries: [String: String]) { self.entries = entries }

    /// Reads the schema of that name; one round trip.
    ///
    /// - Throws: `PostgresError`.
    package init(named name: String, on connection: Connection) throws {
        var parameters = Parameters()
        try parameters.append(name)
        let result = try connection.query(Self.statement, parameters, cached: false)
        entries = Dictionary(
            result.map { ($0[0].string(), $0[1].string()) }, uniquingKeysWith: { first, _ in first })
    }

    /// Where this differs from what is `expected`, a line for each object, sorted; empty where it does not.
    package func differences(from expected: StoreCatalogue) -> [String] {
        Set(entries.keys).union(expected.entries.keys).sorted().compactMap { name in
            switch (entries[name], expected.entries[name]) {
            case (let present?, let wanted?):
                present == wanted ? nil : "\(name) is \(present), not \(wanted)"
            case (_?, nil): "\(name) is not expected"
            case (nil, let wanted?): "\(name) is missing: \(wanted)"
            case (nil, nil): nil
            }
        }
    }

    /// Source: PostgreSQL's system catalogs, <https://www.postgresql.org/docs/current/catalogs.html>.
    private static let statement = #"""
        WITH space AS (SELECT oid, nspname FROM pg_catalog.pg_namespace WHERE nspname = $1),
        relations AS (
            SELECT c.oid, c.relname::pg_catalog.text AS name, c.relkind, c.relrowsecurity FROM pg_catalog.pg_class c, space
            WHERE c.relnamespace = space.oid AND c.relname NOT LIKE '\_howdah%'
        )
        SELECT 'table ' || r.name,
            CASE r.relkind WHEN 'v' THEN 'a view' WHEN 'm' THEN 'a materialized view' WHEN 'S' THEN 'a sequence'
                WHEN 'p' THEN 'a partitioned table' ELSE 'a table' END
            || CASE WHEN r.relrowsecurity THEN ' with row security' ELSE '' END
        FROM relations r WHERE r.relkind IN ('r', 'p', 'v', 'm', 'S')
        UNION ALL
        SELECT 'column ' || r.name || '.' || a.attname,
            pg_catalog.format_type(a.atttypid, a.atttypmod)
            || COALESCE(' COLLATE ' || pg_catalog.quote_ident(l.collname), '')
            || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
            || CASE WHEN a.attgenerated <> '' THEN ' GENERATED ' WHEN d.adbin IS NOT NULL THEN ' DEFAULT ' ELSE '' END
            || COALESCE(pg_catalog.pg_get_expr(d.adbin, d.adrelid), '')
        FROM pg_catalog.pg_attribute a JOIN relations r ON r.oid = a.attrelid AND r.relkind = 'r'
        LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        LEFT JOIN pg_catalog.pg_collation l ON l.oid = a.attcollation
        WHERE a.attnum > 0 AND NOT a.attisdropped
        UNION ALL
        SELECT 'constraint ' || r.name || '.' || c.conname,
            pg_catalog.pg_get_constraintdef(c.oid) || CASE WHEN c.convalidated THEN '' ELSE ' (not validated)' END
            || CASE WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_trigger g WHERE g.tgconstraint = c.oid
                AND g.tgenabled = 'D') THEN ' (its triggers are disabled)' ELSE '' END
        FROM pg_catalog.pg_constraint c JOIN relations r ON r.oid = c.conrelid
        WHERE c.contype IN ('p', 'u', 'f', 'c', 'x')
        UNION ALL
        SELECT 'index ' || r.name,
            pg_catalog.pg_get_indexdef(r.oid) || CASE WHEN i.indisvalid THEN '' ELSE ' (invalid)' END
        FROM pg_catalog.pg_index i JOIN relations r ON r.oid = i.indexrelid
        JOIN relations t ON t.oid = i.indrelid
        UNION ALL
        SELECT 'trigger ' || r.name || '.' || g.tgname, pg_catalog.pg_get_triggerdef(g.oid)
            || CASE WHEN g.tgenabled = 'D' THEN ' (disabled)' ELSE '' END
        FROM pg_catalog.pg_trigger g JOIN relations r ON r.oid = g.tgrelid WHERE NOT g.tgisinternal
            AND g.tgname NOT LIKE '\_howdah%'
        UNION ALL
        SELECT 'rule ' || r.name || '.' || w.rulename, pg_catalog.pg_get_ruledef(w.oid)
        FROM pg_catalog.pg_rewrite w JOIN relations r ON r.oid = w.ev_class AND r.relkind = 'r'
        UNION ALL
        SELECT 'function ' || p.proname || '(' || pg_catalog.pg_get_function_identity_arguments(p.oid) || ')',
            pg_catalog.pg_get_functiondef(p.oid)
        FROM pg_catalog.pg_proc p, space WHERE p.pronamespace = space.oid AND p.prokind = 'f'
            AND p.proname NOT LIKE '\_howdah\_history%' AND p.proname NOT LIKE '\_howdah\_track%'
        """#
}
