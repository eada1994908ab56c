import PQClient

/// The role with which a query runs.
struct SQLRole: Sendable {
    /// Indicates whether no right limits the role.
    let isSuperuser: Bool

    init(isSuperuser: Bool) { self.isSuperuser = isSuperuser }

    /// Reads the role with one statement.
    init(on connection: Connection) throws {
        isSuperuser =
            try connection.query(
                "SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user", cached: false
            ).scalar { $0.isTrue } ?? false
    }

    var warning: HTML {
        guard isSuperuser else { return "" }
        return """
            <p class="warning" role="note">The role is a superuser, so functions can read files of the server and end \
            other sessions. Use a role that has only <code>SELECT</code>.</p>
            """
    }
}
