import ArgumentParser
import HowdahRuntime
import PQClient

extension PredicateCommand {
    struct Explain: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints how a database would run a fetch with the format.",
            discussion: """
                The store's tables must exist. Nothing is changed. With --analyze, the fetch runs in a read-only \
                transaction.
                """)

        @OptionGroup var source: FormatSource
        @OptionGroup var place: PredicatePlace

        @Option(help: "A postgres:// URL or a libpq connection string.")
        var database: String

        @Flag(help: "Runs the fetch, and prints the duration of each step.")
        var analyze = false

        func run() throws {
            let inspection = try place.inspection()
            let lines = try source.lines()
            let connection = try CommandError.explained { try Connection(ConnectionConfiguration(database)) }
            defer { connection.close() }
            var plans: [Int: String] = [:]
            var findings: [PredicateFinding] = []
            for line in lines {
                let (finding, preview) = inspection.finding(line, arguments: source.arguments)
                if let preview {
                    plans[findings.count] = try CommandError.explained {
                        try plan(of: preview, on: connection)
                    }
                }
                findings.append(finding)
            }
            for (position, plan) in plans.sorted(by: { $0.key < $1.key }) where !source.json {
                if source.file != nil { try Output.write("-- \(findings[position].format.printable)") }
                try Output.write(plan)
            }
            for (position, plan) in plans { findings[position].plan = plan }
            try PredicateReport(source: source).write(findings) { _ in "" }
        }

        /// A table, a column or a function that is not there.
        private static let missing: Set<String> = ["42P01", "42703", "42883"]

        private func plan(of preview: FetchPreview, on connection: Connection) throws -> String {
            let words = analyze ? "EXPLAIN (ANALYZE, BUFFERS) " : "EXPLAIN "
            try connection.executeScript("BEGIN READ ONLY")
            defer { try? connection.executeScript("ROLLBACK") }
            do {
                return try connection.query(words + preview.sql, preview.parameters, cached: false)
                    .map { $0[0].string() }.joined(separator: "\n")
            } catch let error as PostgresError where Self.missing.contains(error.sqlState ?? "") {
                throw CommandError(
                    "The schema \(place.schema) of the database does not have the tables and columns of this model. "
                        + "Create the tables by opening the store with the model, or set another --schema or --version."
                )
            }
        }
    }
}
