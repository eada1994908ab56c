import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The account that PgBouncer runs as, which like PostgreSQL refuses to run as root: the one that `LocalPostgres`
/// chooses for the server.
struct PoolerAccount {
    /// The words before a command that run it as this account; none if this process is not root.
    let launcher: [String]
    private let owner: (user: uid_t, group: gid_t)?

    /// The account to use here.
    static func current() throws -> PoolerAccount {
        guard geteuid() == 0 else { return PoolerAccount(launcher: [], owner: nil) }
        let setpriv = ["/usr/bin/setpriv", "/bin/setpriv", "/usr/local/bin/setpriv"]
            .first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let setpriv, let (user, group) = identifiers(of: "postgres") ?? identifiers(of: "nobody") else {
            throw PgBouncer.Failure(
                description: "PgBouncer does not run as root, and there is no setpriv or no account for it.")
        }
        return PoolerAccount(
            launcher: [setpriv, "--reuid=\(user)", "--regid=\(group)", "--clear-groups", "--"],
            owner: (user, group))
    }

    /// Makes a folder that the account can write to and every account can pass through.
    func makeFolder() throws -> URL {
        let own = FileManager.default.temporaryDirectory
        let parent = owner == nil || Self.isOpenToOthers(own) ? own : URL(filePath: "/tmp")
        let folder = parent.appending(path: "pgb-" + String(UInt32.random(in: .min ... .max), radix: 36))
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        if let owner { _ = chown(folder.path(percentEncoded: false), owner.user, owner.group) }
        // The program compares the path of the socket with the one in connection strings.
        return folder.standardizedFileURL
    }

    private static func identifiers(of name: String) -> (uid_t, gid_t)? {
        guard let entry = getpwnam(name), entry.pointee.pw_uid != 0 else { return nil }
        return (entry.pointee.pw_uid, entry.pointee.pw_gid)
    }

    private static func isOpenToOthers(_ folder: URL) -> Bool {
        var folder = folder.standardizedFileURL
        while true {
            let attributes = try? FileManager.default.attributesOfItem(
                atPath: folder.path(percentEncoded: false))
            guard let mode = attributes?[.posixPermissions] as? Int, mode & 0o001 != 0 else { return false }
            if folder.pathComponents.count <= 1 { return true }
            folder.deleteLastPathComponent()
        }
    }
}
