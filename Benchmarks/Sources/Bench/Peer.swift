import Foundation

/// A program that can run the workloads.
struct Peer: Sendable {
    let name: String
    /// The database with the rows that it reads.
    var template = Server.template
    /// The program and its first arguments; workload, database and size follow.
    private let command:
        @Sendable (Server, _ workload: String, _ database: String, _ n: Int) throws -> [String]

    static let limit = Peer(name: "limit") { server, workload, database, n in
        [sibling("Limit"), workload, server.conninfo(database), String(n)]
    }
    static let howdah = Peer(name: "howdah") { server, workload, database, n in
        [sibling("HowdahBench"), "typed", workload, server.url(database), String(n)]
    }
    static let dynamic = Peer(name: "howdah-dynamic") { server, workload, database, n in
        [sibling("HowdahBench"), "dynamic", workload, server.url(database), String(n)]
    }
    /// Another version of Howdah, as its own program runs it.
    static func former(_ program: String, _ kind: String, template: String) -> Peer {
        Peer(name: "former-\(kind)", template: template) { server, workload, database, n in
            [program, kind, workload, server.url(database), String(n)]
        }
    }
    static let python = ["sqlalchemy", "django"].map { name in
        Peer(name: name) { server, workload, database, n in
            let environment = ProcessInfo.processInfo.environment
            guard let python = environment["BENCH_PYTHON"], let folder = environment["BENCH_PEERS"] else {
                throw BenchError(
                    "The Python peers are not installed. Run scripts/bench, which installs them.")
            }
            return [python, "\(folder)/\(name)_bench.py", workload, server.url(database), String(n)]
        }
    }

    var isHowdah: Bool { name.hasPrefix("howdah") || name.hasPrefix("former") }

    /// Indicates whether the peer is a program of this package.
    var isOwn: Bool { isHowdah || name == Self.limit.name }

    func arguments(
        _ server: Server, _ workload: String, _ database: String, _ n: Int
    ) throws -> [String] {
        // In a comparison client and server keep to processors of their own: which one the system picks decides about a
        // fifth of the time of short statements.
        let pinned = ProcessInfo.processInfo.environment["BENCH_CLIENT_CPU"].map {
            ["/usr/bin/taskset", "-c", $0]
        }
        return (pinned ?? []) + (try command(server, workload, database, n))
    }

    func arguments(_ server: Server, _ workload: Workload, _ database: String) throws -> [String] {
        let arguments = try arguments(server, workload.program, database, workload.n)
        return workload.isPinned ? [Server.taskset, "-c", Server.pinnedProcessor] + arguments : arguments
    }

    /// A program of this package, which lies beside this one.
    static func sibling(_ name: String) -> String {
        let own = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
        return own.deletingLastPathComponent().appending(path: name).path(percentEncoded: false)
    }
}
