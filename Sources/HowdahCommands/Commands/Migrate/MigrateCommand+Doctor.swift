import ArgumentParser
import HowdahMigration
import HowdahModel
import HowdahModelFile
import PQClient

extension MigrateCommand {
    struct Doctor: MigrationCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Looks at a store and its server for what hinders programs or migrations; changes nothing.",
            discussion: """
                The version nearest to the store among those of --model or --plan, rows and ids, what --role may do, invalid \
                indexes and other remains, versions of collations, settings of the server, long transactions. Exit status 2 \
                where there is a warning or a problem.
                """)

        @OptionGroup var address: StoreAddress

        @Option(
            name: .customLong("model"),
            help: ArgumentHelp("Models whose versions the store may have; once for each.", valueName: "path"))
        var paths: [String] = []

        @Option(
            name: .customLong("plan"),
            help: ArgumentHelp("A plan whose versions it may have.", valueName: "file"))
        var planPath: String?

        @Option(
            help: ArgumentHelp("A role that is to read and write objects, and no more.", valueName: "name"))
        var role: String?

        @Flag(help: "Prints JSON.")
        var json = false

        func perform() throws {
            let findings = try MigrateCommand.explained {
                let connection = try address.connect(as: "howdah migrate")
                defer { connection.close() }
                return try StoreDiagnosis(
                    connection, schemaName: address.schema, versions: try versions(), role: role
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
