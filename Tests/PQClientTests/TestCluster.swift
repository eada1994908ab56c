import Foundation

@testable import PQClient

/// A private PostgreSQL for one test run, on a Unix socket only; the place to swap for another provider.
enum TestCluster {
    /// The conninfo of the running cluster, started at first use.
    static let conninfo: String = {
        do { return try start() } catch { return "host=/nonexistent dbname=\(error)" }
    }()

    static func configuration(_ change: (inout ConnectionConfiguration) -> Void = { _ in }) throws
        -> ConnectionConfiguration
    {
        var configuration = try ConnectionConfiguration(conninfo)
        change(&configuration)
        return configuration
    }

    static func connect(_ change: (inout ConnectionConfiguration) -> Void = { _ in }) throws -> Connection {
        try Connection(configuration(change))
    }

    private nonisolated(unsafe) static var directory = ""

    private struct Failure: Error {
        let text: String
    }

    private static func start() throws -> String {
        let bin = try binaries()
        directory = FileManager.default.temporaryDirectory.path + "/pqtest-\(getpid())"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        if getuid() == 0 { try run("chown postgres '\(directory)'") }
        atexit { TestCluster.stop() }
        try run(
            asServer(
                "\(bin)/initdb -D '\(directory)/data' -U tester --auth=trust --encoding=UTF8 --locale=C.UTF-8 "
                    + "--no-sync"))
        let settings =
            "-c listen_addresses= -c unix_socket_directories=\(directory) -c fsync=off "
            + "-c max_connections=40 -c max_prepared_transactions=4"
        try run(
            asServer("\(bin)/pg_ctl -D '\(directory)/data' -l '\(directory)/log' -w -o \"\(settings)\" start")
        )
        return "host=\(directory) user=tester dbname=postgres"
    }

    private static func stop() {
        guard !directory.isEmpty, let bin = try? binaries() else { return }
        _ = try? run(asServer("\(bin)/pg_ctl -D '\(directory)/data' -m immediate -w stop"))
        try? FileManager.default.removeItem(atPath: directory)
    }

    private static func binaries() throws -> String {
        let root = "/usr/lib/postgresql"
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [])
            .sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }
        for version in versions where FileManager.default.fileExists(atPath: "\(root)/\(version)/bin/initdb")
        {
            return "\(root)/\(version)/bin"
        }
        return try run("pg_config --bindir").trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// initdb refuses to run as root.
    private static func asServer(_ command: String) -> String {
        guard getuid() == 0 else { return command }
        return "setpriv --reuid=postgres --regid=postgres --clear-groups sh -c '"
            + command.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }

    /// Runs a shell command and returns what it printed.
    ///
    /// Not by `Process`: that waits until the last descendant is gone, and the server is one.
    @discardableResult
    private static func run(_ command: String) throws -> String {
        let file = FileManager.default.temporaryDirectory.path + "/pqtest-output-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let status = system("cd / && (\(command)) >'\(file)' 2>&1 </dev/null")
        let output = String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
        guard status == 0 else { throw Failure(text: "\(command): \(output)") }
        return output
    }
}
