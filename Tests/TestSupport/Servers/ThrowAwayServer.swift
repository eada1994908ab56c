import Foundation

/// A PostgreSQL server in a temporary folder, spoken to through `psql`; stopped with its last reference.
package final class ThrowAwayServer {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private static let binaries: String? = {
        guard let output = try? run("/usr/bin/env", ["pg_config", "--bindir"]).output else { return nil }
        let folder = output.trimmingCharacters(in: .whitespacesAndNewlines)
        let needed = ["initdb", "postgres", "pg_ctl", "psql"]
        return needed.allSatisfy { FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)") }
            ? folder : nil
    }()

    /// Why there can be no server here; nil where there can.
    package static var absence: String? {
        binaries == nil ? "there is no PostgreSQL server under `pg_config --bindir`; install one" : nil
    }

    private let folder: String
    private let binaries: String
    private let server: Process

    package init() throws {
        guard let binaries = Self.binaries else { throw Failure(description: Self.absence ?? "") }
        self.binaries = binaries
        folder = NSTemporaryDirectory() + "howdah-ddl-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        if getuid() == 0 { try Self.run("/usr/bin/env", ["chown", "postgres", folder]) }
        let data = folder + "/data"
        try Self.run(
            binaries + "/initdb",
            ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
            asServer: true)
        let socket = ["-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"]
        // Not through pg_ctl: `Process` waits for whoever inherits its file descriptors, so for the daemon.
        server = try Self.process(binaries + "/postgres", socket, output: folder + "/log", asServer: true)
        try server.run()
        for _ in 0..<1_800 {
            if (try? run(["SELECT 1"])) != nil { return }
            Thread.sleep(forTimeInterval: 0.1)
        }
        throw Failure(description: "the server does not start; see \(folder)/log")
    }

    deinit {
        kill(server.processIdentifier, SIGQUIT)
        server.waitForEnd()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Runs the statements in one transaction, and gives what they printed.
    ///
    /// Throws ``Failure`` with psql's message, SQLSTATE and constraint included.
    @discardableResult
    package func run(_ statements: [String]) throws -> String {
        let file = folder + "/" + UUID().uuidString + ".sql"
        try statements.map { $0 + ";\n" }.joined().write(toFile: file, atomically: false, encoding: .utf8)
        return try Self.run(
            binaries + "/psql",
            [
                "-X", "-q", "-A", "-t", "-1", "-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=verbose", "-U",
                "postgres", "-h", folder, "-d", "postgres", "-f", file,
            ]
        ).output
    }

    @discardableResult
    private static func run(
        _ tool: String, _ arguments: [String], asServer: Bool = false
    ) throws -> (output: String, status: Int32) {
        // A file, not a pipe, whose buffer could fill up.
        let capture = NSTemporaryDirectory() + "howdah-out-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: capture) }
        let process = try process(tool, arguments, output: capture, asServer: asServer)
        try process.run()
        process.waitForEnd()
        let output = (try? String(contentsOfFile: capture, encoding: .utf8)) ?? ""
        guard process.terminationStatus == 0 else { throw Failure(description: "\(tool): \(output)") }
        return (output, process.terminationStatus)
    }

    /// The server refuses to run as root; root runs it as the user `postgres`.
    private static func process(
        _ tool: String, _ arguments: [String], output: String, asServer: Bool
    ) throws -> Process {
        try Data().write(to: URL(fileURLWithPath: output))
        guard let handle = FileHandle(forWritingAtPath: output) else {
            throw Failure(description: "cannot write to \(output)")
        }
        let demotion =
            asServer && getuid() == 0
            ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = demotion + [tool] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = handle
        process.standardError = handle
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        return process
    }
}
