import Foundation
import LocalPostgres

/// The private PostgreSQL of one run of the benchmark, which goes away with it.
struct Server: Sendable {
    static let template = "bench_template"

    private let cluster: LocalCluster
    private let psql: String
    /// The process that starts the sessions.
    private let process: Int32

    init() throws {
        cluster = try LocalCluster.start(settings: [
            "shared_buffers": "512MB", "fsync": "on", "full_page_writes": "on", "synchronous_commit": "off",
            "max_wal_size": "4GB", "max_connections": "100", "wal_level": "replica",
        ])
        psql = try Self.executable("psql", of: cluster)
        let folder = try ChildProgram.run([
            psql, "-XqAt", "-d", cluster.url(database: "postgres"), "-c", "SHOW data_directory",
        ]).output.trimmingCharacters(in: .whitespacesAndNewlines)
        let file = try String(contentsOfFile: "\(folder)/postmaster.pid", encoding: .utf8)
        process = file.split(separator: "\n").first.flatMap { Int32($0) } ?? 0
    }

    /// A program that lies beside the server's.
    func executable(_ name: String) throws -> String { try Self.executable(name, of: cluster) }

    private static func executable(_ name: String, of cluster: LocalCluster) throws -> String {
        guard let program = cluster.installation.executable(name) else {
            throw BenchError("The PostgreSQL server has no \(name) next to it. Install the client programs.")
        }
        return program
    }

    func stop() { cluster.stop() }

    func url(_ database: String) -> String { cluster.url(database: database) }

    func conninfo(_ database: String) -> String { cluster.conninfo(database: database) }

    /// What psql prints for a statement.
    @discardableResult
    func sql(_ statement: String, in database: String = "postgres") throws -> String {
        try ChildProgram.run([psql, "-XqAt", "-v", "ON_ERROR_STOP=1", "-d", url(database), "-c", statement])
            .output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Makes the tables as Howdah makes them, and fills them.
    ///
    /// - Parameter program: the `HowdahBench` whose tables they are; this package's own if nil.
    func makeTemplate(_ template: String = Self.template, program: String? = nil) throws {
        try makeEmptyStore(template, program: program)
        let statements = [
            "INSERT INTO department (_id, _version, name) SELECT i, 1, 'Department ' || i FROM generate_series(1, 100) i",
            """
            INSERT INTO employee (_id, _version, first_name, last_name, email, salary, rating, hired_at, visits, level, \
            active, department) SELECT 101 + i, 1, 'First' || i, 'Last' || lpad((i % 1000)::text, 3, '0'), \
            'first' || i || '@example.com', i % 5000, (i % 50) / 10.0, \
            timestamptz '2000-01-01 00:00+00' + (i::bigint * 7919 % 100000) * interval '1 hour', i, i % 10, i % 2 = 0, \
            1 + i % 100 FROM generate_series(0, 99999) i
            """,
            "SELECT setval('_howdah_id', 200000)",
            "CREATE INDEX IF NOT EXISTS employee_last_name ON employee (last_name)",
            "VACUUM ANALYZE",
        ]
        for statement in statements { try sql(statement, in: template) }
        let indexed = try sql(
            "SELECT count(*) FROM pg_indexes WHERE tablename = 'employee' AND indexdef LIKE '%(department)%'",
            in: template)
        if indexed == "0" { try sql("CREATE INDEX ON employee (department)", in: template) }
        try sql("CHECKPOINT")
    }

    /// Makes a database with the benchmark's store and no rows.
    func makeEmptyStore(_ database: String, program: String? = nil) throws {
        try sql("CREATE DATABASE \(database)")
        _ = try ChildProgram.run([
            program ?? Peer.sibling("HowdahBench"), "typed", "make", url(database), "0",
        ])
    }

    /// Runs `body` with a copy of the template.
    func withCopy<T>(of template: String = Self.template, _ body: (_ database: String) throws -> T) throws
        -> T
    {
        try sql("CREATE DATABASE bench_run TEMPLATE \(template)")
        try sql("CHECKPOINT")
        defer { try? drop("bench_run") }
        return try body("bench_run")
    }

    /// The processor time of the sessions that have ended, in seconds; 0 where the system does not tell it.
    var processor: Double {
        // The fields behind the name, which is in parentheses: those of the processes that the postmaster waited for.
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let fields = text.split(separator: ")").last?.split(separator: " "), fields.count > 14,
            let user = Double(fields[13]), let system = Double(fields[14])
        else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    static let taskset = "/usr/bin/taskset"
    static let pinnedProcessor = "0"
    static let canPin = FileManager.default.isExecutableFile(atPath: taskset)

    /// Runs `body` while new sessions keep to one processor.
    func pinned<T>(_ isPinned: Bool, _ body: () throws -> T) throws -> T {
        guard isPinned else { return try body() }
        let all = try ChildProgram.run([Self.taskset, "-cp", String(process)]).output
            .split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
        _ = try ChildProgram.run([Self.taskset, "-cp", Self.pinnedProcessor, String(process)])
        defer { _ = try? ChildProgram.run([Self.taskset, "-cp", all ?? "0", String(process)]) }
        return try body()
    }

    func drop(_ database: String) throws { try sql("DROP DATABASE \(database) WITH (FORCE)") }
}
