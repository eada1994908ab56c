import ArgumentParser

extension PredicateCommand {
    struct Parse: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks predicate formats, and prints each one as Howdah understands it.",
            discussion: """
                For one format, the command prints the format of its tree, with $argument1, $argument2 and so on for \
                arguments that you do not give. For a file, it prints a line for each invalid format, and a count. The \
                exit status is 1 if a format is invalid.
                """)

        @OptionGroup var source: FormatSource

        func run() throws {
            let inspection = PredicateInspection()
            let findings = try source.lines().map { inspection.finding($0, arguments: source.arguments).0 }
            try PredicateReport(source: source).write(findings) { $0.canonical ?? "" }
        }
    }
}
