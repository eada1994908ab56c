import ArgumentParser

extension PredicateCommand {
    struct SQL: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sql", abstract: "Prints the statement that a fetch with the format sends.",
            discussion: """
                Values are parameters, which are listed below the statement. Arguments that you do not give have \
                sample values. The command needs no database.
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
            guard let sql = finding.sql else { return "-- no statement" }
            let values = (finding.parameters ?? []).enumerated().map { "-- $\($0 + 1) = \($1.printable)" }
            return ([sql + ";"] + values).joined(separator: "\n")
        }
    }
}
