import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension LocalCluster {
    /// Moves the databases of this stopped cluster to a new one by `pg_upgrade`, of the same version.
    ///
    /// The new cluster has another system identifier, and ids of transactions go on.
    package func startUpgrade() throws(LocalPostgresError) -> LocalCluster {
        guard let program = installation.executable("pg_upgrade") else {
            throw LocalPostgresError(
                .installationNotFound,
                "\(installation.folder) has no pg_upgrade. Install PostgreSQL (Debian: postgresql).")
        }
        let settings = self.settings.withLock { $0 }
        let new = try Self.start(
            .initdb, in: directory.deletingLastPathComponent(), settings, installation, options)
        new.stopServer()
        let log = try new.folder.openLog()
        defer { _ = close(log) }
        let child = try ChildProcess(
            (try ServerAccount.current()?.launcher ?? []) + [
                "/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", new.folder.socketFolder, program, "-b",
                installation.folder, "-B", installation.folder, "-d", folder.dataPath, "-D",
                new.folder.dataPath, "-U", Self.user, "-s", new.folder.socketFolder,
            ], environment: SystemEnvironment.forServer,
            descriptors: [(child: 1, ours: log), (child: 2, ours: log)])
        guard child.wait() == 0 else {
            throw LocalPostgresError(
                .startFailed,
                "pg_upgrade failed. Correct the cause that the end of its output shows:\n"
                    + new.folder.logTail(lines: 20))
        }
        try new.startServer()
        return new
    }
}
