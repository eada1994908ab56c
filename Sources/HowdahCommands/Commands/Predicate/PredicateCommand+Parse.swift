import ArgumentParser

extension PredicateCommand {
    struct Parse: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Reads formats, and prints what they are understood as.",
            discussion: """
                Of one format the format that its tree prints, with $argument1 and following for arguments that are not given. \
                Of a file a line for each that is wrong, and a count. Exit status 1 where one is wrong.
                """)

        @OptionGroup var source: FormatSource

        func run() throws {
            let inspection = PredicateInspection()
            let findings = try source.lines().map { inspection.finding($0, arguments: source.arguments).0 }
            try PredicateReport(source: source).write(findings) { $0.canonical ?? "" }
        }
    }
}
