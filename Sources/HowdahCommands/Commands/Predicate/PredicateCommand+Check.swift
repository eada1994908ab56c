import ArgumentParser

extension PredicateCommand {
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks formats against a model, without a database.",
            discussion: """
                The command checks key paths, types and to-many relationships as a fetch does. An argument that you \
                do not give has the type of the operand that it is compared with. The exit status is 1 if a format \
                is invalid.
                """)

        @OptionGroup var source: FormatSource
        @OptionGroup var place: PredicatePlace

        func run() throws {
            let inspection = try place.inspection()
            let findings = try source.lines().map { inspection.finding($0, arguments: source.arguments).0 }
            try PredicateReport(source: source).write(findings) { finding in
                finding.entities.map { "valid for " + $0.joined(separator: ", ") } ?? "valid"
            }
        }
    }
}
