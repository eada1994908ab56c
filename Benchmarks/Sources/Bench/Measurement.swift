import Foundation

/// Lets the peers take turns at each workload and checks what each run did.
struct Measurement {
    let server: Server
    let workloads: [Workload]
    let peers: [Peer]
    let rounds: Int

    func run() throws -> [Result] {
        var results: [Result] = []
        for workload in workloads {
            if workload.isPinned, !Server.canPin { continue }
            let reference = try Reference(server, workload)
            let peers = peers.filter { workload.isForAll || $0.isOwn }
            var runs: [[Run]] = peers.map { _ in [] }
            for _ in 0..<rounds {
                for (place, peer) in peers.enumerated() {
                    runs[place].append(try one(workload, peer, reference))
                }
            }
            for (place, peer) in peers.enumerated() {
                results.append(
                    Result(
                        workload: workload, peer: peer.name, runs: runs[place],
                        statements: try statements(workload, peer), limit: runs[0].map(\.seconds).min() ?? 0))
            }
            FileHandle.standardError.write(Data("\(workload.name) done\n".utf8))
        }
        return results
    }

    func one(_ workload: Workload, _ peer: Peer, _ reference: Reference) throws -> Run {
        guard workload.writes else {
            return try start(workload, peer, peer.template).checked(reference, effect: true)
        }
        return try server.withCopy(of: peer.template) { database in
            let run = try start(workload, peer, database)
            let effect = try workload.effect.map { try server.sql("SELECT \($0)", in: database) == "t" }
            return run.checked(reference, effect: effect ?? true)
        }
    }

    private func start(_ workload: Workload, _ peer: Peer, _ database: String) throws -> Run {
        let before = server.processor
        let child = try server.pinned(workload.isPinned) {
            try ChildProgram.run(peer.arguments(server, workload, database))
        }
        var run = try JSONDecoder().decode(Run.self, from: Data(child.output.utf8))
        run.client = child.processor
        run.switches = child.switches
        // Sessions end a moment after their client.
        usleep(50_000)
        run.server = server.processor - before
        // A cold start is the whole process.
        if workload.name == "W9" { run.seconds = child.seconds }
        return run
    }

    /// How many statements Howdah sends, counted in a run that is not timed.
    func statements(_ workload: Workload, _ peer: Peer) throws -> Int? {
        guard peer.isHowdah, workload.name != "W9" else { return nil }
        let count: (String) throws -> Int? = { database in
            let arguments = try peer.arguments(server, workload, database) + ["count"]
            let child = try ChildProgram.run(arguments)
            return try JSONDecoder().decode(Run.self, from: Data(child.output.utf8)).statements
        }
        return workload.writes ? try server.withCopy(of: peer.template, count) : try count(peer.template)
    }
}

/// What a run must report, computed by the database.
struct Reference {
    let count: Int
    let sum: Double?

    init(_ server: Server, _ workload: Workload) throws {
        count = Int(try server.sql("SELECT \(workload.count)", in: Server.template)) ?? -1
        sum = try workload.sum.flatMap { Double(try server.sql("SELECT \($0)", in: Server.template)) }
    }
}
