import ArgumentParser

extension PredicateCommand {
    struct SQL: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sql", abstract: "Prints the statement that a fetch with the format sends.",
            discussion: """
                Values are parameters, listed below the statement; those of arguments that are not given are samples. \
                No database is asked.
                """)

        @OptionGroup var source: FormatSource
        @OptionGroup var place: PredicatePlace

        func run() throws {
            let inspection = try place.inspection()
            let findings = try source.lines().map { inspection.finding($0, arguments: source.arguments).0 }
            if source.file != nil, !source.json {
                for finding in findings where finding.error == nil {
                    try Output.write("-- \(finding.format.printable)\n\(Self.text(finding))")
                }
            }
            try PredicateReport(source: source).write(findings, text: Self.text)
        }

        private static func text(_ finding: PredicateFinding) -> String {
            guard let sql = finding.sql else { return "-- not made" }
            let values = (finding.parameters ?? []).enumerated().map { "-- $\($0 + 1) = \($1.printable)" }
            return ([sql + ";"] + values).joined(separator: "\n")
        }
    }
}
