import ArgumentParser

extension PredicateCommand {
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks formats against a model, without a database.",
            discussion: """
                Key paths, types and to-many relationships are checked as a fetch does. Arguments that are not given are of \
                the type of what they are compared with. Exit status 1 where a format is wrong.
                """)

        @OptionGroup var source: FormatSource
        @OptionGroup var place: PredicatePlace

        func run() throws {
            let inspection = try place.inspection()
            let findings = try source.lines().map { inspection.finding($0, arguments: source.arguments).0 }
            try PredicateReport(source: source).write(findings) { finding in
                finding.entities.map { "right for " + $0.joined(separator: ", ") } ?? "right"
            }
        }
    }
}
