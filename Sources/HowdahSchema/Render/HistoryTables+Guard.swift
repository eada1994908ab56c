internal import PQClient

extension HistoryTables {
    /// The name of the trigger that refuses statements without history, on each table of objects or links that is not tracked.
    package static let guardTrigger = "_howdah_guard"

    /// The name of the trigger's function, without its schema.
    package static let guardFunctionName = prefix + "_guard"

    /// The name of the constraint in the errors of the trigger.
    package static let guardConstraint = "restart_this_program_to_write_history"

    /// The statements that create the trigger on a table, or replace it.
    package func guardCreation(on table: String) -> [String] {
        [
            "DROP TRIGGER IF EXISTS \(SQLIdentifier.quoted(Self.guardTrigger)) ON "
                + SQLIdentifier.quoted(schemaName, table),
            "CREATE TRIGGER \(SQLIdentifier.quoted(Self.guardTrigger)) BEFORE INSERT OR UPDATE OR DELETE "
                + "OR TRUNCATE ON \(SQLIdentifier.quoted(schemaName, table)) FOR EACH STATEMENT WHEN "
                + "(pg_catalog.current_setting('\(Self.setting)', true) IS DISTINCT FROM 'on') "
                + "EXECUTE FUNCTION \(quoted("_guard"))()",
        ]
    }

    /// Creates the function of the triggers, or replaces it.
    package var guardFunction: String {
        "CREATE OR REPLACE FUNCTION \(quoted("_guard"))() RETURNS trigger LANGUAGE plpgsql "
            + "SET search_path = pg_catalog, pg_temp AS " + SQLLiteral.string(guardBody)
    }

    /// The text of the function.
    var guardBody: String {
        """

        BEGIN
            RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
                MESSAGE = 'This program opened the store before its history was started, so that its changes would be missing from the history. Restart the program.',
                HINT = 'For a statement by hand, run SET LOCAL \(Self.setting) = ''on'' before it in its transaction. After all programs were restarted, run howdah history trust.',
                SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME,
                CONSTRAINT = '\(Self.guardConstraint)';
        END

        """
    }
}
