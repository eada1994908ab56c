/// A folder with the server's binaries.
public struct PostgresInstallation: Hashable, Sendable {
    /// The path of the folder; it has `initdb` and `postgres` in it.
    public let folder: String

    /// Uses the binaries in this folder.
    ///
    /// - Throws: ``LocalPostgresError`` with the code `installationNotFound` where `initdb` or `postgres` is missing.
    public init(folder: String) throws(LocalPostgresError) {
        let missing = Self.required.filter { SystemEnvironment.executable($0, in: [folder]) == nil }
        guard missing.isEmpty else {
            throw LocalPostgresError(
                .installationNotFound,
                "\(folder) has no \(missing.joined(separator: " and no ")). Use a folder with the server "
                    + "programs of PostgreSQL.")
        }
        self.folder = folder
    }

    static let required = ["initdb", "postgres"]

    /// The path of another program of the installation, such as `psql` or `pg_dump`, or nil where it has none.
    public func executable(_ name: String) -> String? {
        SystemEnvironment.executable(name, in: [folder])
    }
}
