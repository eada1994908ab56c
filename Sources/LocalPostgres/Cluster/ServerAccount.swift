#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The unprivileged account a server runs as when its owner is root; PostgreSQL refuses to run as root.
struct ServerAccount: Sendable {
    let name: String
    let user: uid_t
    let group: gid_t
    /// The words before a command that run it as this account, in the same process.
    let launcher: [String]

    /// The account to use here, or nil where the process is not root and runs the server as itself.
    ///
    /// `postgres` where it exists, else `nobody`.
    static func current(setpriv: String? = SystemEnvironment.executable("setpriv"))
        throws(LocalPostgresError) -> ServerAccount?
    {
        guard geteuid() == 0 else { return nil }
        guard let setpriv else {
            throw LocalPostgresError(
                .privilegeDropUnavailable,
                "PostgreSQL does not run as root, and setpriv, which starts it as another account, was not found."
                    + " Install util-linux, or run this as an ordinary user.")
        }
        for name in ["postgres", "nobody"] {
            guard let (user, group) = identifiers(of: name), user != 0 else { continue }
            return ServerAccount(
                name: name, user: user, group: group,
                launcher: [setpriv, "--reuid=\(user)", "--regid=\(group)", "--clear-groups", "--"])
        }
        throw LocalPostgresError(
            .privilegeDropUnavailable,
            "PostgreSQL does not run as root, and the system has no account named postgres or nobody to run it as. "
                + "Create the account postgres (useradd --system postgres), or run this as an ordinary user.")
    }

    private static func identifiers(of name: String) -> (uid_t, gid_t)? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var text = [CChar](repeating: 0, count: 16_384)
        guard getpwnam_r(name, &entry, &text, text.count, &found) == 0, found != nil else { return nil }
        return (entry.pw_uid, entry.pw_gid)
    }
}
