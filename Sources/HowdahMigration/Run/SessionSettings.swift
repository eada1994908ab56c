internal import PQClient

/// The settings of a session before a program's script or handler, which may change them for itself but not for what
/// follows.
struct SessionSettings {
    private let authorization: String
    private let role: String
    /// The others, as a JSON object.
    private let values: String

    /// Reads them; in the stage's transaction, before it sets its own.
    init(of connection: Connection) throws {
        let row = try connection.query(
            """
            SELECT pg_catalog.current_setting('session_authorization'), pg_catalog.current_setting('role'),
                (SELECT pg_catalog.jsonb_object_agg(s.name, s.setting)::pg_catalog.text FROM pg_catalog.pg_settings s
                    WHERE \(Self.condition))
            """, cached: false
        ).map { ($0[0].string(), $0[1].string(), $0[2].string()) }.first
        (authorization, role, values) = row ?? ("", "none", "{}")
    }

    /// What can be set in a transaction and set back; the library's own are set by whoever runs statements.
    private static let condition = """
        s.context IN ('user', 'superuser') AND s.name NOT LIKE 'transaction\\_%' AND s.name NOT LIKE 'howdah.%'
        """

    /// Sets back what differs, also for after the transaction.
    func restore(on connection: Connection) throws {
        // For the session: what only the transaction has would hide what a script left for after it.
        try connection.executeScript("SET statement_timeout = 0")
        let who = try connection.query(
            "SELECT pg_catalog.current_setting('session_authorization'), pg_catalog.current_setting('role')",
            cached: false
        ).map { [$0[0].string(), $0[1].string()] }.first
        if who != [authorization, role] {
            var names = Parameters()
            try names.append(authorization)
            try names.append(role)
            // The authorization first: setting it takes the role along.
            _ = try connection.query(
                "SELECT CASE WHEN pg_catalog.current_setting('session_authorization') <> $1 "
                    + "THEN pg_catalog.set_config('session_authorization', $1, false) END, "
                    + "pg_catalog.set_config('role', $2, false)", names, cached: false)
        }
        var parameters = Parameters()
        try parameters.append(values)
        _ = try connection.query(
            """
            SELECT pg_catalog.set_config(s.name, o.value, false)
            FROM pg_catalog.pg_settings s
            JOIN pg_catalog.jsonb_each_text(CAST(CAST($1 AS pg_catalog.text) AS pg_catalog.jsonb)) o ON o.key = s.name
            WHERE s.setting IS DISTINCT FROM o.value
            """, parameters, cached: false)
    }
}
