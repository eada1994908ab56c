import Foundation

/// What must hold beside speed: nobody else stalls while bodies block, and the main actor pays no more.
struct Guards {
    private let server: Server

    init(_ server: Server) { self.server = server }

    func run() throws {
        for guardName in ["heartbeat", "W2", "W6"] {
            let arguments = [
                Peer.sibling("HowdahBench"), "typed", "guard-\(guardName)", server.url(Server.template), "64",
            ]
            print(try ChildProgram.run(arguments).output, terminator: "")
        }
        for name in ["triggers", "history"] {
            try server.sql("CREATE DATABASE bench_\(name)")
            defer { try? server.drop("bench_\(name)") }
            print(
                try ChildProgram.run([
                    Peer.sibling("HowdahBench"), "dynamic", name, server.url("bench_\(name)"), "10000",
                ]).output, terminator: "")
        }
    }

    /// What a program does once, or with each text of a client.
    func runSingles() throws {
        try server.sql("CREATE DATABASE bench_opening")
        defer { try? server.drop("bench_opening") }
        for (name, database) in [("opening", "bench_opening"), ("texts", Server.template)] {
            let arguments = [Peer.sibling("HowdahBench"), "typed", name, server.url(database), "20"]
            print(try ChildProgram.run(arguments).output, terminator: "")
        }
    }
}
