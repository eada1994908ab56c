import ArgumentParser
import HowdahMigration
import HowdahModel
import PQClient

extension MigrateCommand {
    struct Lint: MigrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Reports the steps that block or break programs, and how to avoid that.",
            discussion: """
                The command checks the steps that the store needs or, with --from and without a database, the steps \
                between two versions. Each step is judged by when it runs: steps that --defer postpones are safe, or \
                notes. After the steps, the command reports how programs of the previous version fail, while they \
                run and when they start again. It also reports the drops that you must confirm by name. The exit \
                status is 2 if there is a warning. Steps that depend on the number of rows are notes if the server \
                knows that there are few.
                """)

        @OptionGroup var target: MigrationTarget

        var json: Bool { target.json }

        @Option(
            name: .customLong("from"),
            help: ArgumentHelp("The version to start from, instead of the store's.", valueName: "version"))
        var from: String?

        @Flag(help: "Fails for notes as well.")
        var strict = false

        func validate() throws {
            if from != nil, target.allDropsToken != nil {
                throw ValidationError(
                    "--confirm-all-drops needs a store, and --from uses none. Name each drop with "
                        + "--confirm-drop.")
            }
        }

        func perform() throws {
            let findings = try from.map(findings(from:)) ?? target.withMigration(findings)
            guard let findings else {
                return try Output.write(
                    target.json
                        ? "[]"
                        : "The store does not exist, so nothing can be blocked. Run howdah migrate apply to create the store."
                )
            }
            if target.json {
                try Output.write(json: findings)
            } else if findings.isEmpty {
                try Output.write("Nothing blocks or breaks programs.")
            } else {
                for finding in findings {
                    let place = finding.step.map { "step \($0)" } ?? "stage"
                    let stage = finding.stage.isEmpty ? "" : "\(finding.stage), "
                    try Output.write(
                        "\(finding.severity.rawValue)  \(stage)\(place)  \(finding.rule.rawValue)  \(finding.message)"
                            .printable)
                    try Output.write("         → \(finding.idiom)")
                }
            }
            let counts = findings.contains { $0.severity == .warning || strict && $0.severity == .note }
            if counts { throw MigrateCommand.needsMigration }
        }

        /// Nil where there is no store.
        private func findings(_ migration: StoreMigration) throws -> [LintFinding]? {
            let findings = try StoreMigration.withWordForAll { try migration.lint() }
            if findings != nil { try migration.tellPending() }
            return findings
        }

        private func findings(from name: String) throws -> [LintFinding]? {
            try MigrateCommand.explained {
                let versions = try target.versions()
                guard let source = versions.first(where: { $0.name == name }) else {
                    throw CommandError(
                        "Unknown version \"\(name)\". Use one of these: \(versions.map(\.name).joined(separator: ", ")).",
                        code: "unknownVersion", status: CommandError.usage)
                }
                let model = try target.model()
                let path =
                    try target.planFile()?.path(schemaName: target.address.schema)
                    ?? CompiledPlan.current.flatMap { target.path == nil ? $0 : nil }?.path()
                    ?? MigrationPath(from: source.model, to: model)
                let models = path.versions.compactMap(\.model)
                let unknown = DropConfirmations(target.confirmedDrops, along: models).unknown
                guard unknown.isEmpty else {
                    throw ValidationError(
                        UnknownNames.complaint(of: unknown, "--confirm-drop", models.count))
                }
                return try path.lint(
                    from: source.model, to: model, schemaName: target.address.schema,
                    options: target.options())
            }
        }
    }
}
