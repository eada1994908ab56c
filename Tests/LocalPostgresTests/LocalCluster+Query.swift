import Testing

@testable import LocalPostgres

extension LocalCluster {
    /// What `psql` prints for the statement, without decoration, or nil where it fails.
    func query(_ sql: String, at address: String? = nil) throws -> String? {
        let psql = try #require(installation.executable("psql"))
        let arguments = [psql, "-XAtq", "-c", sql, address ?? url()]
        let environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C"]
        return ChildProcess.output(of: arguments, environment: environment).map { String($0.dropLast()) }
    }
}
