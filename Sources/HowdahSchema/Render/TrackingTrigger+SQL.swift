internal import HowdahModel
internal import PQClient

extension TrackingTrigger {
    /// The greatest length of a name, in bytes.
    private static let nameLimit = 63

    /// The name of the function of a table's triggers, without its schema.
    package static func functionName(of table: String) -> String {
        let name = prefix + table
        guard name.utf8.count > nameLimit else { return name }
        var head = ""
        for scalar in name.unicodeScalars where (head + String(scalar)).utf8.count <= nameLimit - 9 {
            head.unicodeScalars.append(scalar)
        }
        return head + "_" + SHA256.hexadecimal(of: table.utf8).prefix(8)
    }

    private var function: String { SQLIdentifier.quoted(schemaName, Self.functionName(of: table)) }

    /// The statements that create the function, or replace it.
    package var functionCreation: [String] {
        [
            "CREATE OR REPLACE FUNCTION \(function)() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER "
                + "SET search_path = pg_catalog, pg_temp AS " + SQLLiteral.string(functionBody),
            "REVOKE ALL ON FUNCTION \(function)() FROM PUBLIC",
        ]
    }

    /// The text of the function.
    package var functionBody: String { "\n\(body)\n" }

    /// The statements that create the triggers, or replace them.
    package var triggerCreation: [String] {
        let place = SQLIdentifier.quoted(schemaName, table)
        // Triggers and foreign keys write what no program has counted.
        let condition =
            "(pg_catalog.current_setting('\(HistoryTables.setting)', true) IS DISTINCT FROM 'on' "
            + "OR pg_catalog.pg_trigger_depth() > 0)"
        return Self.statements.flatMap { statement in
            let name = SQLIdentifier.quoted(Self.triggerName(for: statement))
            let rows =
                switch statement {
                case "INSERT": "REFERENCING NEW TABLE AS new_rows "
                case "UPDATE": "REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows "
                case "DELETE": "REFERENCING OLD TABLE AS old_rows "
                default: ""
                }
            return [
                "DROP TRIGGER IF EXISTS \(name) ON \(place)",
                "CREATE TRIGGER \(name) AFTER \(statement) ON \(place) \(rows)FOR EACH STATEMENT WHEN \(condition) "
                    + "EXECUTE FUNCTION \(function)()",
            ]
        }
    }

    /// The name of the trigger for a kind of statement.
    package static func triggerName(for statement: String) -> String { prefix + statement.lowercased() }

    private var tables: HistoryTables { HistoryTables(in: schemaName) }

    private var body: String {
        """
        BEGIN
            IF TG_OP = 'INSERT' THEN
        \(insertion(of: appearances("new_rows", kind: 0)))
            ELSIF TG_OP = 'DELETE' THEN
        \(insertion(of: appearances("old_rows", kind: 2)))
            ELSIF TG_OP = 'UPDATE' THEN
        \(insertion(of: updates))
            ELSE
                -- Nothing says which rows there were.
                INSERT INTO \(tables.history) ("slot", "number", "part", "origin", "entity", "kind", "ids", "author")
                VALUES (\(tables.slotExpression), \(nextNumber), 0, 2, '', 2, '{}', session_user::pg_catalog.text);
            END IF;
            RETURN NULL;
        END
        """
    }

    private var nextNumber: String {
        "pg_catalog.nextval(\(SQLLiteral.string(tables.number))::pg_catalog.regclass)"
    }

    /// Writes the changes that some queries return, as one transaction of the history. The number is drawn after they are known.
    private func insertion(of queries: [String]) -> String {
        """
                INSERT INTO \(tables.history) ("slot", "number", "part", "origin", "entity", "kind", "properties", "ids",
                    "tombstones", "author")
                WITH change(kind, entity, properties, id, kept) AS (
                    \(queries.joined(separator: "\n            UNION ALL "))
                ), parts AS (
                    SELECT c.kind, c.entity, c.properties, pg_catalog.array_agg(c.id ORDER BY c.id) AS ids,
                        CASE WHEN pg_catalog.bool_or(c.kept IS NOT NULL)
                            THEN pg_catalog.jsonb_agg(c.kept ORDER BY c.id) END AS kept
                    FROM (SELECT d.*, (pg_catalog.row_number() OVER (PARTITION BY d.kind, d.entity, d.properties
                        ORDER BY d.id) - 1) / 1000 AS chunk FROM (SELECT DISTINCT * FROM change) AS d) AS c
                    GROUP BY c.kind, c.entity, c.properties, c.chunk
                ), drawn AS MATERIALIZED (
                    SELECT \(nextNumber) AS number FROM (SELECT pg_catalog.count(*) AS n FROM parts) AS k WHERE k.n > 0
                )
                SELECT \(tables.slotExpression), drawn.number, (pg_catalog.row_number() OVER (
                        ORDER BY p.kind, p.entity, p.properties, p.ids))::pg_catalog.int4 - 1, 2,
                    p.entity, p.kind, p.properties, p.ids, p.kept, session_user::pg_catalog.text
                FROM drawn, parts AS p;
        """
    }

    /// The changes by rows that are inserted or deleted: the objects, and the owners of to-many properties.
    private func appearances(_ rows: String, kind: Int) -> [String] {
        var queries: [String] = []
        if let objects {
            let values = kind == 2 ? kept(objects, "r") : Self.nothing
            queries.append(
                """
                SELECT \(kind)::pg_catalog.int2, \(entity(objects, "r")), \(Self.unknown), \(key(objects, "r")), \(values)
                FROM \(rows) AS r
                """)
        }
        return queries + owners.map { owner in member(owner, "r", "FROM \(rows) AS r WHERE TRUE") }
    }

    private var updates: [String] {
        guard let objects else {
            // Links have no key of their own: those that are not on both sides have changed.
            return owners.flatMap { owner in
                let columns = owner.compared.map(SQLIdentifier.quoted).joined(separator: ", ")
                return [("old_rows", "new_rows"), ("new_rows", "old_rows")].map { one, other in
                    member(
                        owner, "r",
                        "FROM (SELECT \(columns) FROM \(one) EXCEPT SELECT \(columns) FROM \(other)) AS r WHERE TRUE"
                    )
                }
            }
        }
        let key = SQLIdentifier.quoted(objects.key)
        let pairs = "FROM old_rows AS o FULL JOIN new_rows AS n ON o.\(key) = n.\(key)"
        let isSame = "\(entity(objects, "o")) = \(entity(objects, "n"))"
        let changed = objects.properties.map {
            "CASE WHEN \(difference($0.columns)) THEN \(SQLLiteral.string($0.storedName)) END"
        }
        let names = "ARRAY[\(changed.joined(separator: ", "))]::pg_catalog.text[]"
        let (oldKey, newKey) = (self.key(objects, "o"), self.key(objects, "n"))
        let queries = [
            """
            SELECT u.kind, u.entity, u.properties, u.id, u.kept FROM (
                SELECT 1::pg_catalog.int2 AS kind, \(entity(objects, "n")) AS entity,
                    pg_catalog.array_remove(\(names), NULL) COLLATE pg_catalog."C" AS properties, \(newKey) AS id,
                    \(Self.nothing) AS kept
                \(pairs) WHERE o.\(key) IS NOT NULL AND n.\(key) IS NOT NULL AND \(isSame)
            ) AS u WHERE pg_catalog.cardinality(u.properties) > 0
            """,
            """
            SELECT 2::pg_catalog.int2, \(entity(objects, "o")), \(Self.unknown), \(oldKey), \(kept(objects, "o"))
            \(pairs) WHERE o.\(key) IS NOT NULL AND (n.\(key) IS NULL OR NOT \(isSame))
            """,
            """
            SELECT 0::pg_catalog.int2, \(entity(objects, "n")), \(Self.unknown), \(newKey), \(Self.nothing)
            \(pairs) WHERE n.\(key) IS NOT NULL AND (o.\(key) IS NULL OR NOT \(isSame))
            """,
        ]
        return queries
            + owners.flatMap { owner in
                ["o", "n"].map { member(owner, $0, "\(pairs) WHERE (\(difference(owner.compared)))") }
            }
    }

    /// The owners that rows refer to, and that exist. The rows of a deleted owner go after it, or lose it.
    private func member(_ owner: Owner, _ alias: String, _ source: String) -> String {
        let column = "\(alias).\(SQLIdentifier.quoted(owner.column))"
        let entity =
            owner.entityColumn.map { "\(alias).\(SQLIdentifier.quoted($0))" }
            ?? SQLLiteral.string(owner.storedEntity)
        let place = SQLIdentifier.quoted(schemaName, owner.table)
        return """
            SELECT 1::pg_catalog.int2, \(entity)::pg_catalog.text COLLATE pg_catalog."C",
                ARRAY[\(SQLLiteral.string(owner.storedProperty))]::pg_catalog.text[] COLLATE pg_catalog."C",
                \(column)::pg_catalog.int8, \(Self.nothing)
            \(source) AND \(column) IS NOT NULL
                AND EXISTS (SELECT FROM \(place) AS w WHERE w.\(SQLIdentifier.quoted(owner.key)) = \(column))
            """
    }

    private func key(_ objects: Objects, _ alias: String) -> String {
        "\(alias).\(SQLIdentifier.quoted(objects.key))::pg_catalog.int8"
    }

    private func entity(_ objects: Objects, _ alias: String) -> String {
        let entity =
            objects.discriminator.map { "\(alias).\(SQLIdentifier.quoted($0))" }
            ?? SQLLiteral.string(objects.storedEntity)
        return "\(entity)::pg_catalog.text COLLATE pg_catalog.\"C\""
    }

    /// The preserved values of a row.
    private func kept(_ objects: Objects, _ alias: String) -> String {
        if objects.preserved.isEmpty { return Self.nothing }
        let values = objects.preserved.map { preserved in
            var columns = preserved.property.columns.map { "\(alias).\(SQLIdentifier.quoted($0))" }[...]
            return "\(SQLLiteral.string(preserved.property.storedName)), "
                + PreservedValue.json(preserved.type, isDocument: preserved.isDocument, &columns)
        }
        return "pg_catalog.jsonb_build_object(\(values.joined(separator: ", ")))"
    }

    private static let nothing = "NULL::pg_catalog.jsonb"
    private static let unknown = "NULL::pg_catalog.text[] COLLATE pg_catalog.\"C\""

    /// Compares the bytes of values, as some types and collations take different ones for equal.
    private func difference(_ columns: [String]) -> String {
        func row(_ alias: String) -> String {
            "ROW(\(columns.map { "\(alias).\(SQLIdentifier.quoted($0))" }.joined(separator: ", ")))::pg_catalog.record"
        }
        return "\(row("o")) OPERATOR(pg_catalog.*<>) \(row("n"))"
    }
}
