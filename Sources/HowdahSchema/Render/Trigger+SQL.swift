package import HowdahModel
internal import PQClient

extension StoreSchema.Trigger {
    /// The function and the trigger.
    ///
    /// Those of delete rules are AFTER triggers: two BEFORE triggers that delete each other's rows are an error. Statement triggers run for
    /// no rows as well, so each stops where nothing is gone, which ends every cycle. A save has applied the rules
    /// itself, also to changes that rows do not show yet, and says so with a setting of its transaction.
    package func creation(on table: StoreSchema.Table, in namespace: String) -> [String] {
        let function = SQLIdentifier.quoted(namespace, name)
        let target = SQLIdentifier.quoted(namespace, table.name)
        let body = "\nBEGIN\n" + body(on: table, in: namespace).map { "    \($0)\n" }.joined() + "END\n"
        let trigger = SQLIdentifier.quoted(name)
        let event =
            if case .raiseVersion(let version, let columns) = duty {
                "CREATE TRIGGER \(trigger) BEFORE UPDATE ON \(target) FOR EACH ROW WHEN (\(Self.isForeignChange(version, columns)))"
            } else if case .refuse(let column, _) = duty {
                "CREATE CONSTRAINT TRIGGER \(trigger) AFTER DELETE ON \(target) DEFERRABLE INITIALLY IMMEDIATE "
                    + "FOR EACH ROW WHEN (OLD.\(SQLIdentifier.quoted(column)) IS NOT NULL)"
            } else {
                "CREATE TRIGGER \(trigger) AFTER DELETE ON \(target) REFERENCING OLD TABLE AS gone "
                    + "FOR EACH STATEMENT"
            }
        return [
            "CREATE FUNCTION \(function)() RETURNS trigger LANGUAGE plpgsql "
                + "SET search_path = pg_catalog, pg_temp AS " + SQLLiteral.string(body),
            "\(event) EXECUTE FUNCTION \(function)()",
        ]
    }

    /// The condition under which a change of a row is not one that a save or batch has counted.
    ///
    /// The bytes of values are compared, as some types and collations take different ones for equal. What triggers and
    /// foreign keys do in a save is another program's change, too.
    private static func isForeignChange(_ version: String, _ columns: [String]) -> String {
        let version = SQLIdentifier.quoted(version)
        func row(_ name: String) -> String {
            "ROW(\(columns.map { "\(name).\(SQLIdentifier.quoted($0))" }.joined(separator: ", ")))::pg_catalog.record"
        }
        return "OLD.\(version) = NEW.\(version) AND \(row("OLD")) OPERATOR(pg_catalog.*<>) \(row("NEW")) AND "
            + "(pg_catalog.current_setting('\(setting)', true) IS DISTINCT FROM 'on' OR pg_catalog.pg_trigger_depth() > 0)"
    }

    private func body(on table: StoreSchema.Table, in namespace: String) -> [String] {
        let name = { (place: Place) in SQLIdentifier.quoted(namespace, place.table) }
        switch duty {
        case .follow(let column, let to):
            let column = SQLIdentifier.quoted(column)
            var reached = "SELECT gone.\(column) FROM gone"
            if to.table == table.name {
                // All levels at once: a trigger inside of a trigger is a level of the server's stack.
                reached +=
                    " UNION SELECT t.\(column) FROM \(name(to)) AS t JOIN reached ON \(key(to)) = reached.k"
            }
            return stop(unless: "SELECT FROM gone WHERE gone.\(column) IS NOT NULL")
                + deletion(of: to, reached, in: namespace)
        case .refuse(let column, let to):
            let message = SQLLiteral.string(
                "\(place) denies the deletion while its destination remains; delete that first")
            return [
                "IF pg_catalog.current_setting('\(Self.setting)', true) IS DISTINCT FROM 'on' AND EXISTS "
                    + "(SELECT FROM \(name(to)) AS t WHERE \(key(to)) = OLD.\(SQLIdentifier.quoted(column))) THEN",
                "    RAISE EXCEPTION USING ERRCODE = 'foreign_key_violation', MESSAGE = \(message), "
                    + "SCHEMA = \(SQLLiteral.string(namespace)), TABLE = \(SQLLiteral.string(table.name)), "
                    + "CONSTRAINT = \(SQLLiteral.string(self.name));",
                "END IF;", "RETURN NULL;",
            ]
        case .followLinks(let column, let owner, let other, let to):
            let (column, other) = (SQLIdentifier.quoted(column), SQLIdentifier.quoted(other))
            var reached =
                "SELECT gone.\(other) FROM gone WHERE NOT EXISTS (SELECT FROM \(name(owner)) AS o "
                + "WHERE \(key(owner, "o")) = gone.\(column))"
            if to.table == owner.table {
                reached +=
                    " UNION SELECT l.\(other) FROM \(SQLIdentifier.quoted(namespace, table.name)) AS l "
                    + "JOIN reached ON l.\(column) = reached.k"
            }
            return stop(unless: "SELECT FROM gone") + deletion(of: to, reached, in: namespace)
        case .raiseVersion(let version, _):
            let version = SQLIdentifier.quoted(version)
            return ["NEW.\(version) := OLD.\(version) + 1;", "RETURN NEW;"]
        case .unlink(let key, let links):
            return stop(unless: "SELECT FROM gone") + [
                "DELETE FROM \(name(links)) AS t WHERE \(self.key(links)) IN "
                    + "(SELECT gone.\(SQLIdentifier.quoted(key)) FROM gone);",
                "RETURN NULL;",
            ]
        }
    }

    /// The label of the step that makes the trigger.
    package var label: String {
        duty.isDeleteRule ? "delete rule of \(place)" : "versions of \(place) for other programs"
    }

    private func stop(unless something: String) -> [String] {
        [
            "IF pg_catalog.current_setting('\(Self.setting)', true) = 'on' OR NOT EXISTS (\(something)) THEN",
            "    RETURN NULL;", "END IF;",
        ]
    }

    private func deletion(of place: Place, _ reached: String, in namespace: String) -> [String] {
        [
            "WITH RECURSIVE reached(k) AS (\(reached))",
            "DELETE FROM \(SQLIdentifier.quoted(namespace, place.table)) AS t "
                + "WHERE \(key(place)) IN (SELECT reached.k FROM reached);",
            "RETURN NULL;",
        ]
    }

    private func key(_ place: Place, _ alias: String = "t") -> String {
        "\(alias).\(SQLIdentifier.quoted(place.column))"
    }

    private var place: String { ([origin.entity] + origin.properties).joined(separator: ".") }
}
