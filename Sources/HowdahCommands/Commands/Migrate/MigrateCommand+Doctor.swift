import ArgumentParser
import HowdahMigration
import HowdahModel
import HowdahModelFile
import PQClient

extension MigrateCommand {
    struct Doctor: MigrationCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Checks a store and its server for problems of programs or migrations, and changes nothing.",
            discussion: """
                The command reports the version of --model or --plan that is nearest to the store. It checks \
                rows and ids, the rights of --role, and leftovers of migrations such as invalid indexes. It \
                also checks versions of collations, settings of the server, and long transactions. The exit \
                status is 2 if there is a warning or a problem.
                """)

        @OptionGroup var address: StoreAddress

        @Option(
            name: .customLong("model"),
            help: ArgumentHelp(
                "A model whose versions the store may have. Repeat the option for each model.",
                valueName: "path"))
        var paths: [String] = []

        @Option(
            name: .customLong("plan"),
            help: ArgumentHelp("A plan whose versions the store may have.", valueName: "file"),
            completion: .file())
        var planPath: String?

        @Option(
            help: ArgumentHelp("A role that only needs to read and write objects.", valueName: "name"))
        var role: String?

        @Flag(help: "The role of --role only reads, as a container with StoreOptions.isReadOnly does.")
        var readOnly = false

        @Flag(help: "Prints JSON.")
        var json = false

        func validate() throws {
            if readOnly, role == nil { throw ValidationError("--read-only needs a role. Add --role.") }
        }

        func perform() throws {
            let findings = try MigrateCommand.explained {
                let connection = try address.connect(as: "howdah migrate")
                defer { connection.close() }
                return try StoreDiagnosis(
                    connection, schemaName: address.schema, versions: try versions(), role: role,
                    onlyReads: readOnly
                ).findings()
            }
            if json {
                try Output.write(json: findings)
            } else {
                for finding in findings {
                    let name = finding.severity.rawValue
                    let pad = String(repeating: " ", count: max(0, 8 - name.count))
                    try Output.write("\(name)\(pad) \(finding.check): \(finding.message)".printable)
                    if let remedy = finding.remedy { try Output.write("         → \(remedy)".printable) }
                }
            }
            if findings.contains(where: { $0.severity == .warning || $0.severity == .problem }) {
                throw MigrateCommand.needsMigration
            }
        }

        private func versions() throws -> [(name: String, model: ManagedObjectModel)] {
            let planned =
                try planPath.map { try PlanFile(at: $0).path(schemaName: address.schema).versions } ?? []
            let compiled =
                paths.isEmpty && planPath == nil ? try CompiledPlan.current?.path().versions ?? [] : []
            return try paths.flatMap(MigrationTarget.versions(of:))
                + (planned + compiled).compactMap { version in version.model.map { (version.name, $0) } }
        }
    }
}
