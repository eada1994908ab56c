import ArgumentParser
import Foundation

/// Runs the workloads for each peer against a private PostgreSQL and prints them as ratios to the limit.
@main
struct Bench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scripts/bench",
        abstract: "Measures Howdah against C on libpq, and against other libraries.",
        discussion: """
            Every run is a separate process, and its result is checked against the database. Peers take turns within a \
            workload. The exit status is 1 if a check failed.
            """)

    @Flag(help: "Runs two rounds in under two minutes. Without --peers, omits the Python peers.")
    var quick = false

    @Option(help: "The number of runs of each workload by each peer. The best and the median are shown.")
    var rounds: Int?

    @Option(help: "The workloads, separated by commas, such as W1,W6lazy.")
    var workloads: String?

    @Option(help: "The Python peers to measure, separated by commas (sqlalchemy, django), or none.")
    var peers: String?

    @Option(help: "The file for the results, with one JSON object per workload and peer.")
    var json: String?

    @Flag(help: "Measures the cost per object from 1,000 to 1,000,000 objects instead of the workloads.")
    var growth = false

    @Flag(help: "Measures the heartbeat and the main actor instead of the workloads.")
    var guards = false

    @Flag(
        help:
            "Measures the opening of a store of 70 entities, and predicates as texts, instead of the workloads."
    )
    var singles = false

    @Flag(help: "Compares migrations of a million rows with SQL written by hand instead of the workloads.")
    var migrations = false

    @Flag(
        help:
            "Measures 1 to 64 tasks with pools of 1 to 32 connections beside pgbench instead of the workloads."
    )
    var scaling = false

    @Flag(help: "Compares allocations, round trips and instructions of each workload with their limits.")
    var thresholds = false

    @Flag(help: "With --thresholds, writes the limits anew.")
    var write = false

    @Option(
        help: ArgumentHelp(
            "Compares with another commit, which is also built. Both take turns in each of ten rounds.",
            valueName: "commit"))
    var against: String?

    func validate() throws {
        if against != nil, growth || guards || singles || scaling || thresholds || json != nil || peers != nil
        {
            throw ValidationError(
                "--against allows only --migrations, --workloads, --rounds and --quick. Remove the other options."
            )
        }
        if write, !thresholds {
            throw ValidationError("--write applies only to --thresholds. Remove it, or add --thresholds.")
        }
        if let rounds, rounds < 1 { throw ValidationError("--rounds is less than 1. Use a number from 1.") }
        _ = try chosenWorkloads()
        _ = try chosenPeers()
        if let json { try checkFile(json) }
    }

    /// Results that cannot be written are better known before they are measured.
    private func checkFile(_ path: String) throws {
        if growth || guards || singles || migrations || thresholds {
            throw ValidationError("--json applies only to the workloads and --scaling. Remove it.")
        }
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        let target =
            exists ? path : URL(fileURLWithPath: path).deletingLastPathComponent().path(percentEncoded: false)
        guard !isFolder.boolValue, FileManager.default.isWritableFile(atPath: target) else {
            throw ValidationError(
                "--json: \(path) cannot be written. Use a path in a folder that you may write to.")
        }
    }

    func run() throws {
        let server = try Server()
        defer { server.stop() }
        if growth { return try Growth(server).run() }
        if migrations {
            return try Migrations(
                server, rows: 1_000_000, rounds: rounds ?? (quick ? 1 : 3),
                former: against.map { (name: $0, program: try formerProgram()) }
            ).run()
        }
        try server.makeTemplate()
        if guards { return try Guards(server).run() }
        if singles { return try Guards(server).runSingles() }
        if scaling { return try scale(server) }
        if thresholds { return try compareWithLimits(server) }
        if let against { return try compare(with: against, server) }
        let results = try Measurement(
            server: server, workloads: chosenWorkloads(), peers: chosenPeers(),
            rounds: rounds ?? (quick ? 2 : 5)
        ).run()
        print(ResultTable(results).text)
        if let json { try ResultTable(results).json.write(toFile: json, atomically: true, encoding: .utf8) }
        guard results.allSatisfy(\.isRight) else { throw ExitCode.failure }
    }

    private func scale(_ server: Server) throws {
        let rows = try Scaling(server, rounds: rounds ?? (quick ? 1 : 2), units: quick ? 2_000 : 8_000).run()
        print(ScalingRow.table(rows))
        guard let json else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let lines = try rows.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
        let picture = URL(fileURLWithPath: json).deletingPathExtension().appendingPathExtension("svg")
        try ScalingChart(rows.filter { $0.place.tasks <= 64 }).svg.write(
            to: picture, atomically: true, encoding: .utf8)
        try "[\n\(lines.joined(separator: ",\n"))\n]\n".write(toFile: json, atomically: true, encoding: .utf8)
    }

    private func compareWithLimits(_ server: Server) throws {
        guard let file = ProcessInfo.processInfo.environment["BENCH_THRESHOLDS"] else {
            throw BenchError(
                "The limits are not known. Run scripts/bench --thresholds, which names their file.")
        }
        let thresholds = Thresholds(server, file: file)
        if write { return try thresholds.write() }
        guard try thresholds.check() else { throw ExitCode.failure }
    }

    private func compare(with commit: String, _ server: Server) throws {
        let former = try formerProgram()
        let contrasts = try Comparison(
            server: server, workloads: chosenWorkloads(), rounds: rounds ?? (quick ? 2 : 10), former: former
        ).run()
        print(ContrastTable(contrasts: contrasts, former: commit).text)
        guard contrasts.allSatisfy({ $0.isRight && $0.verdict != .slower }) else { throw ExitCode.failure }
    }

    private func formerProgram() throws -> String {
        guard let former = ProcessInfo.processInfo.environment["BENCH_FORMER"] else {
            throw BenchError(
                "The other commit is not built. Run scripts/bench --against COMMIT, which builds it.")
        }
        return former
    }

    private func chosenWorkloads() throws -> [Workload] {
        guard let workloads else { return Workload.all }
        let names = workloads.split(separator: ",")
        if names.isEmpty { throw ValidationError("--workloads names no workload. Use W1 to W12.") }
        return try names.map { name in
            guard let workload = Workload.all.first(where: { $0.name == name }) else {
                throw ValidationError(
                    "Unknown workload \(name). Use one of these: \(Workload.all.map(\.name).joined(separator: ", "))."
                )
            }
            return workload
        }
    }

    private func chosenPeers() throws -> [Peer] {
        let own = [Peer.limit, .howdah, .dynamic]
        let names = peers ?? (quick ? "none" : "sqlalchemy,django")
        if names == "none" { return own }
        return try own
            + names.split(separator: ",").map { name in
                guard let peer = Peer.python.first(where: { $0.name == name }) else {
                    throw ValidationError("Unknown peer \(name). Use sqlalchemy, django or none.")
                }
                return peer
            }
    }
}
