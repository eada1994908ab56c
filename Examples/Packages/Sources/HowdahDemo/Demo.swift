import Foundation
import Howdah
import LocalPostgres

/// The demo from beginning to end.
struct Demo {
    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func run() async throws {
        var report = Report()
        let cluster = try startServer(&report)
        // The server lives as long as `cluster` does, and goes away with the process however that ends.
        defer { cluster?.stop() }
        let container = try await open(cluster?.url() ?? arguments.database ?? "", &report)
        try await importAll(into: container, &report)
        Screen.heading("Questions")
        try await report.measure("Questions", on: container) {
            try await Questions(container: container).ask()
        }
        Screen.heading("A walk without N+1")
        try await report.measure("Walk", on: container) { try await Walk(container: container).run() }
        Screen.heading("Changes and conflicts")
        try await report.measure("Changes and conflicts", on: container) {
            try await Edits(container: container).run()
        }
        report.show()
        await container.close()
        try migrate()
        stay(cluster)
    }

    private func migrate() throws {
        guard let stories = ProcessInfo.processInfo.environment["HOWDAH_STORIES"] else { return }
        Screen.heading("A migration")
        try MigrationStory(in: stories).run()
    }

    private func startServer(_ report: inout Report) throws -> LocalCluster? {
        guard arguments.database == nil else { return nil }
        let began = ContinuousClock.now
        let cluster = try LocalCluster.start()
        report.add("Start of a private PostgreSQL", rows: 0, time: ContinuousClock.now - began, statements: 0)
        return cluster
    }

    private func open(_ url: String, _ report: inout Report) async throws -> PersistentContainer {
        let began = ContinuousClock.now
        var options = StoreOptions()
        options.schemaName = arguments.schema
        let container = try await PersistentContainer.open(url, model: Archive.model(), options: options)
        report.add("Opening of the store", rows: 0, time: ContinuousClock.now - began, statements: 0)
        let place =
            arguments.database == nil ? "a private PostgreSQL" : "your database, schema \(arguments.schema)"
        Screen.line("Howdah demo: this machine's Debian packages as an object graph in \(place).")
        return container
    }

    private func importAll(into container: PersistentContainer, _ report: inout Report) async throws {
        Screen.heading("Import")
        for round in 0..<(arguments.importsTwice ? 2 : 1) {
            for source in arguments.sources {
                let title = round == 0 ? "Import of \(source.rawValue)" : "Import of \(source.rawValue) again"
                try await report.measure(title, on: container) {
                    let package = PackageImport(source: source, limit: arguments.limit, container: container)
                    let tally = try await package.run()
                    Screen.line(
                        "  \(source.title): \(Format.count(tally.packages))"
                            + " with \(Format.count(tally.dependencies)) dependencies.")
                    Screen.line("    \(Self.describe(tally))")
                    return tally.packages + tally.dependencies
                }
            }
        }
        try await Inventory(container: container).show()
    }

    private static func describe(_ tally: ImportTally) -> String {
        let sentence =
            "\(Format.count(tally.inserted, "object")) inserted, \(Format.count(tally.changed)) changed, "
            + "\(Format.count(tally.deleted)) deleted"
        return sentence + (tally.isEmpty ? ": the store already had everything." : ".")
    }

    private func stay(_ cluster: LocalCluster?) {
        guard let cluster else {
            return Screen.line(
                "  The store remains. Run the demo again with it, or remove it with DROP SCHEMA \(arguments.schema) CASCADE."
            )
        }
        guard arguments.stays else { return }
        Screen.heading("The server runs until you press Return")
        Screen.line("  psql '\(cluster.url())'")
        Screen.line(
            "  SELECT name, sizes_installed_kilobytes FROM \(arguments.schema).package WHERE is_installed LIMIT 10;"
        )
        _ = readLine()
    }
}
