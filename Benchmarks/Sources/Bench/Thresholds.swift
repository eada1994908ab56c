import Foundation

/// Compares what each workload costs with the limits in a file.
struct Thresholds {
    private let server: Server
    private let file: String

    init(_ server: Server, file: String) {
        self.server = server
        self.file = file
    }

    /// A workload with two sizes, whose difference is free of what a process does once.
    private struct Measured {
        let name: String
        let small: Int
        let large: Int
        let writes: Bool
        /// What follows the size.
        var more: [String] = []

        /// Those over a whole table have one size; the opening of the store is taken away from them.
        var isWhole: Bool { small == large }
    }

    private static let measured = [
        Measured(name: "W1", small: 2_000, large: 6_000, writes: true),
        Measured(name: "W2", small: 100_000, large: 100_000, writes: false),
        Measured(name: "W3", small: 1_000, large: 3_000, writes: false),
        Measured(name: "W4", small: 200, large: 600, writes: false),
        Measured(name: "W5", small: 2_000, large: 6_000, writes: true),
        Measured(name: "W6", small: 100_000, large: 100_000, writes: false),
        Measured(name: "W6lazy", small: 100_000, large: 100_000, writes: false),
        Measured(name: "W7", small: 2_000, large: 6_000, writes: true),
        Measured(name: "scaling-read", small: 500, large: 1_500, writes: false, more: ["1", "1"]),
        Measured(name: "scaling-write", small: 500, large: 1_500, writes: true, more: ["1", "1"]),
    ]

    /// - Returns: Whether no limit is exceeded.
    func check() throws -> Bool {
        let limits = try read()
        var isRight = true
        for (name, costs) in try measure() {
            guard let limit = limits[name] else {
                print("\(name): no limits. Write them with --write.")
                isRight = false
                continue
            }
            let excess = costs.excess(over: limit)
            print("\(line(name, costs))\(excess.isEmpty ? "" : "  FAIL: " + excess.joined(separator: ", "))")
            isRight = isRight && excess.isEmpty
        }
        return isRight
    }

    /// Replaces the file by limits for the present program.
    func write() throws {
        var limits: [String: Costs] = [:]
        for (name, costs) in try measure() {
            print(line(name, costs))
            limits[name] = costs.limits
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try (encoder.encode(limits) + Data("\n".utf8)).write(to: URL(fileURLWithPath: file))
    }

    private func line(_ name: String, _ costs: Costs) -> String {
        name.padding(toLength: 14, withPad: " ", startingAt: 0)
            + "\(costs.statements) statements, \(costs.roundTrips) round trips; of a unit "
            + "\(Costs.text(costs.allocations)) allocations, \(Costs.text(costs.instructions)) instructions, "
            + "\(Costs.text(costs.generics)) of them for generic code"
            + (costs.systemCalls.map { ", \(Costs.text($0)) system calls" } ?? "")
    }

    private func read() throws -> [String: Costs] {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw BenchError("\(file) cannot be read. Write it with --write.")
        }
        return try JSONDecoder().decode([String: Costs].self, from: data)
    }

    private func measure() throws -> [(String, Costs)] {
        let instructions = try Instructions(of: Peer.sibling("HowdahBench"))
        defer { instructions.end() }
        let opening = (
            instructions: try instructions.count(arguments("make", 0, Server.template)),
            counts: try counts(arguments("make", 0, Server.template))
        )
        let program = [Peer.sibling("HowdahBench")]
        let callsOfOpening = try SystemCalls.count(program + arguments("make", 0, Server.template))
        return try Self.measured.map { workload in
            let large = try run(workload, workload.large) { try counts($0) }
            let most = try run(workload, workload.large) { try instructions.count($0) }
            let statements = try run(workload, workload.large, ["count"]) { arguments in
                guard workload.more.isEmpty else { return 0 }
                let output = try ChildProgram.run([Peer.sibling("HowdahBench")] + arguments).output
                return try JSONDecoder().decode(Run.self, from: Data(output.utf8)).statements ?? 0
            }
            let small =
                workload.isWhole ? opening.counts : try run(workload, workload.small) { try counts($0) }
            let least =
                workload.isWhole
                ? opening.instructions : try run(workload, workload.small) { try instructions.count($0) }
            // They have no limit: a thread that must not wait makes fewer.
            let calls = try run(workload, workload.large) { try SystemCalls.count(program + $0) }
            let fewest =
                workload.isWhole
                ? callsOfOpening : try run(workload, workload.small) { try SystemCalls.count(program + $0) }
            let units = Double(workload.isWhole ? workload.large : workload.large - workload.small)
            return (
                workload.name,
                Costs(
                    statements: statements, roundTrips: (large - small).roundTrips,
                    allocations: Double((large - small).allocations) / units,
                    instructions: (most.all - least.all) / units,
                    generics: max(0, most.generics - least.generics) / units,
                    systemCalls: calls.flatMap { calls in
                        fewest.map { max(0, Double(calls - $0)) / units }
                    })
            )
        }
    }

    private func run<T>(
        _ workload: Measured, _ size: Int, _ more: [String] = [], _ body: ([String]) throws -> T
    ) throws -> T {
        let last = workload.more.isEmpty ? more : workload.more
        guard workload.writes else { return try body(arguments(workload.name, size, Server.template) + last) }
        return try server.withCopy { try body(arguments(workload.name, size, $0) + last) }
    }

    private func arguments(_ workload: String, _ size: Int, _ database: String) -> [String] {
        ["typed", workload, server.url(database), String(size)]
    }

    private func counts(_ arguments: [String]) throws -> Counts {
        guard let counts = try Counts.of([Peer.sibling("HowdahBench")] + arguments) else {
            throw BenchError("Allocations are counted on Linux only.")
        }
        return counts
    }
}
