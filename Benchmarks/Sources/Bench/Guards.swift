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
        try server.sql("CREATE DATABASE bench_triggers")
        defer { try? server.drop("bench_triggers") }
        print(
            try ChildProgram.run([
                Peer.sibling("HowdahBench"), "dynamic", "triggers", server.url("bench_triggers"), "10000",
            ]).output, terminator: "")
    }
}
