import Foundation

/// PostgreSQL's own benchmark with the statements that Howdah sends for the same units of work.
struct Pgbench {
    private let server: Server
    private let program: String

    private static let columns =
        "_id, _version, first_name, last_name, email, salary, rating, hired_at, visits, level, active, department"

    private static let scripts = [
        "read": """
        \\set id random(101, 100100)
        SELECT \(columns) FROM employee WHERE _id = :id;

        """,
        "write": """
        \\set id random(101, 100100)
        SELECT \(columns) FROM employee WHERE _id = :id \\gset
        UPDATE employee SET visits = :visits + 1, _version = _version + 1 WHERE _id = :id AND _version = :_version;

        """,
    ]

    init(_ server: Server) throws {
        self.server = server
        program = try server.executable("pgbench")
    }

    func run(_ place: ScalingRow.Place, _ units: Int, _ database: String) throws -> ScalingRow {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "bench-pgbench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = folder.appending(path: "script.sql")
        try (Self.scripts[place.load] ?? "").write(to: script, atomically: true, encoding: .utf8)
        let log = folder.appending(path: "log").path(percentEncoded: false)
        let output = try ChildProgram.run([
            program, "-n", "-M", "prepared", "-c", String(place.tasks), "-j", "2", "-t",
            String(max(1, units / place.tasks)), "-f", script.path(percentEncoded: false), "-l",
            "--log-prefix=\(log)", server.conninfo(database),
        ]).output
        guard let rate = output.firstMatch(of: /tps = ([0-9.]+)/).flatMap({ Double($0.output.1) }) else {
            throw BenchError("pgbench printed no rate. It printed: \(output.prefix(500))")
        }
        // A line for each transaction; its third number is microseconds.
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        let latencies = try names.filter { $0.hasPrefix("log") }.flatMap { name in
            try String(contentsOf: folder.appending(path: name), encoding: .utf8).split(separator: "\n")
                .compactMap { line in
                    line.split(separator: " ").dropFirst(2).first.flatMap { Double($0) }.map { $0 / 1_000 }
                }
        }.sorted()
        guard let longest = latencies.last else { throw BenchError("pgbench logged no transaction.") }
        return ScalingRow(
            place: place, perSecond: rate, p50: latencies[latencies.count / 2],
            p99: latencies[min(latencies.count - 1, latencies.count * 99 / 100)], longest: longest)
    }
}
