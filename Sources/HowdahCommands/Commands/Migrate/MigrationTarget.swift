import ArgumentParser
import Foundation
import HowdahMigration
import HowdahModel
import HowdahModelFile
import HowdahRuntime
import PQClient

/// Which store, to which model, and by which plan.
struct MigrationTarget: ParsableArguments {
    @Option(name: .customLong("model"), help: ModelChoice.pathHelp)
    var path: String?

    @Option(
        name: .customLong("version"),
        help: ArgumentHelp(
            "A version of the bundle, or of the plan; the current one, or the last, where none is given.",
            valueName: "name"))
    var versionName: String?

    @Option(
        name: .customLong("plan"),
        help: ArgumentHelp("A YAML file with stages; without it the steps are inferred.", valueName: "file"))
    var planPath: String?

    @OptionGroup var address: StoreAddress

    @Option(
        name: .customLong("confirm-drop"),
        help: ArgumentHelp(
            "An entity or Entity.property of the store's model whose values may go; once for each.",
            valueName: "name"))
    var confirmedDrops: [String] = []

    @Flag(
        name: .customLong("defer"),
        help: "Locks tables for a short time only; howdah migrate finish does what is left then.")
    var shouldDefer = false

    @Flag(help: "Prints JSON.")
    var json = false

    func validate() throws {
        if path?.isEmpty == true { throw ValidationError("--model is not empty.") }
        if planPath?.isEmpty == true { throw ValidationError("--plan is not empty.") }
        if path != nil, planPath != nil {
            throw ValidationError("Give --model or --plan: the plan names its models itself.")
        }
        if path == nil, planPath == nil, CompiledPlan.current == nil {
            throw ValidationError("Give --model, or --plan.")
        }
    }

    /// The stages of the plan, with handlers in SQL; nil where there is no plan file.
    func planFile() throws -> PlanFile? { try planPath.map { try PlanFile(at: $0) } }

    /// The model that the store is to have.
    func model() throws -> ManagedObjectModel {
        if let path {
            let contents = try ModelPlace.contents(of: path, version: versionName)
            contents.tellWarnings()
            return contents.model
        }
        if let file = try planFile() { return try file.target(named: versionName) }
        guard let compiled = CompiledPlan.current else { throw ValidationError("Give --model, or --plan.") }
        return try compiled.target(named: versionName)
    }

    /// All versions that are known, in their order.
    func versions() throws -> [(name: String, model: ManagedObjectModel)] {
        if let path { return try Self.versions(of: path) }
        let known = try planFile()?.path(schemaName: address.schema) ?? CompiledPlan.current?.path()
        return known?.versions.compactMap { version in version.model.map { (version.name, $0) } } ?? []
    }

    static func versions(of path: String) throws -> [(name: String, model: ManagedObjectModel)] {
        let file = try ModelFile(at: URL(filePath: path))
        return try file.versions.map { ($0, try file.contents(version: $0).model) }
    }

    private var options: MigrationOptions {
        var options = MigrationOptions()
        options.confirmedDrops = Set(confirmedDrops)
        options.shouldDeferLightweightMigration = shouldDefer
        return options
    }

    /// Runs `body` on a session of its own.
    ///
    /// - Parameter url: another database than the one that the options name.
    func withRoute<T>(at other: String? = nil, _ body: (MigrationRoute) throws -> T) throws -> T {
        let url = try other ?? address.url
        return try MigrateCommand.explained {
            let target = try model()
            if path == nil, planPath == nil, let compiled = CompiledPlan.current {
                return try compiled.withPath(url, schemaName: address.schema) { connection, path in
                    try body(route(connection, target, path))
                }
            }
            let connection = try StoreAddress.connect(to: url, as: "howdah migrate")
            defer { connection.close() }
            return try body(
                route(connection, target, try planFile()?.path(schemaName: address.schema)))
        }
    }

    private func route(
        _ connection: Connection, _ target: ManagedObjectModel, _ path: MigrationPath?
    ) -> MigrationRoute {
        // A version that cannot be read is no reason against going to another one.
        let order = (try? self.path.map { try Self.versions(of: $0).map(\.model.versionChecksum) }) ?? []
        return MigrationRoute(
            connection: connection, schemaName: address.schema, target: target, path: path, order: order,
            options: options)
    }
}
