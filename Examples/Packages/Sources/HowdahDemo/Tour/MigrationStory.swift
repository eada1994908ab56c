import Foundation
import LocalPostgres

/// The story of the aircraft logbook in `migrations`: its page's commands, on a server that goes away with the demo.
struct MigrationStory {
    private static let model = ["--model", "Logbook.xcdatamodeld", "--version"]

    private let folder: URL
    private let howdah: URL

    /// - Parameter stories: The folder `migrations`.
    init(in stories: String) throws {
        folder = URL(fileURLWithPath: stories).appending(path: "aircraft-logbook")
        howdah = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
            path: "howdah")
        for place in [folder, howdah]
        where !FileManager.default.fileExists(atPath: place.path(percentEncoded: false)) {
            throw DemoError(
                "\(place.path(percentEncoded: false)) is missing. Run the demo with scripts/demo.")
        }
    }

    func run() throws {
        let cluster = try LocalCluster.start()
        defer { cluster.stop() }
        let shell = Shell(
            folder: folder,
            programs: ["howdah": howdah.path(percentEncoded: false), "psql": try psql(of: cluster)],
            environment: ["HOWDAH_DATABASE": cluster.url()])
        Screen.line(
            "  Aircraft have flight data as text. In version 3 of the model, the flight data are objects.")
        try makeStore(shell, cluster)
        try show(shell, "before", version: "Logbook 2")
        Screen.line("\n  The attribute becomes a relationship of the same name, which cannot be inferred:")
        try shell.run("howdah", ["migrate", "apply", "--model", "Logbook.xcdatamodeld"], expecting: 3)
        Screen.line("\n  A plan file has a stage for it, with these steps:")
        try shell.run("howdah", ["migrate", "plan", "--plan", "plan.yaml"], expecting: 2)
        Screen.line("\n  The stage runs in one transaction:")
        try shell.run("howdah", ["migrate", "apply", "--plan", "plan.yaml"])
        try show(shell, "after", version: "Logbook 3")
        try shell.run("howdah", ["migrate", "verify"])
    }

    private func makeStore(_ shell: Shell, _ cluster: LocalCluster) throws {
        for (version, lines) in [("Logbook", "entries.jsonl"), ("Logbook 2", "flights.jsonl")] {
            try shell.run("howdah", ["migrate", "apply", "--quiet"] + Self.model + [version])
            try shell.run("howdah", ["data", "import"] + Self.model + [version], input: lines)
        }
        // Else the plan could not say about how many rows: servers count them now and then.
        try shell.run("psql", [cluster.conninfo(), "--quiet", "--command", "ANALYZE"], isShown: false)
    }

    private func show(_ shell: Shell, _ when: String, version: String) throws {
        Screen.line("\n  The store \(when):")
        try shell.run("howdah", ["data", "export"] + Self.model + [version])
    }

    private func psql(of cluster: LocalCluster) throws -> String {
        guard let path = cluster.installation.executable("psql") else {
            throw DemoError("The server's programs do not include psql. Install the PostgreSQL client.")
        }
        return path
    }
}
