import ArgumentParser
import Foundation
import HowdahMigration
import HowdahModel
import HowdahModelFile
import HowdahRuntime
import HowdahStages
import PQClient

/// Which store, to which model, and by which plan.
struct MigrationTarget: ParsableArguments {
    @Option(name: .customLong("model"), help: ModelChoice.pathHelp, completion: .file())
    var path: String?

    @Option(
        name: .customLong("version"),
        help: ArgumentHelp(
            "A version of the bundle or of the plan. Defaults to the current one, or to the last of the plan.",
            valueName: "name"))
    var versionName: String?

    @Option(
        name: .customLong("plan"),
        help: ArgumentHelp(
            "A YAML file with stages. Without a plan, the steps are inferred.", valueName: "file"),
        completion: .file())
    var planPath: String?

    @OptionGroup var address: StoreAddress

    @Option(
        name: .customLong("confirm-drop"),
        help: ArgumentHelp(
            "An entity or Entity.property of the store's model whose values may be dropped. Repeat the option for each.",
            valueName: "name"))
    var confirmedDrops: [String] = []

    @Option(
        name: .customLong("confirm-all-drops"),
        help: ArgumentHelp(
            "Confirms every drop that an error message lists. Use the token printed there, which is valid only for that list.",
            valueName: "token"))
    var allDropsToken: String?

    @Flag(
        name: .customLong("defer"),
        help: "Locks tables only for a short time, and leaves the rest to howdah migrate finish.")
    var shouldDefer = false

    @Flag(
        help: "Permits a migration to a model that the store had earlier. --version includes this permission."
    )
    var back = false

    @Flag(help: "Prints JSON.")
    var json = false

    func validate() throws {
        if path?.isEmpty == true { throw ValidationError("--model is empty. Give the path of a model.") }
        if planPath?.isEmpty == true { throw ValidationError("--plan is empty. Give the path of a plan.") }
        if path != nil, planPath != nil {
            throw ValidationError(
                "--model and --plan exclude each other, because a plan names its own models. Use one of them."
            )
        }
        if path == nil, planPath == nil, CompiledPlan.current == nil {
            throw ValidationError("No model is given. Add --model or --plan.")
        }
    }

    /// The stages of the plan, with handlers in SQL; nil where there is no plan file.
    func planFile() throws -> PlanFile? { try planPath.map { try PlanFile(at: $0) } }

    /// The model that the store is to have.
    func model() throws -> ManagedObjectModel {
        if let path {
            let contents = try CommandError.asArgument {
                try ModelFile.contents(of: path, version: versionName)
            }
            contents.tellWarnings()
            return contents.model
        }
        if let file = try planFile() { return try file.target(named: versionName) }
        guard let compiled = CompiledPlan.current else {
            throw ValidationError("No model is given. Add --model or --plan.")
        }
        return try compiled.target(named: versionName)
    }

    /// All versions that are known, in their order.
    func versions() throws -> [(name: String, model: ManagedObjectModel)] {
        if let path { return try Self.versions(of: path) }
        let known = try planFile()?.path(schemaName: address.schema) ?? CompiledPlan.current?.path()
        return known?.versions.compactMap { version in version.model.map { (version.name, $0) } } ?? []
    }

    static func versions(of path: String) throws -> [(name: String, model: ManagedObjectModel)] {
        try CommandError.asArgument {
            let file = try ModelFile(at: URL(filePath: path))
            return try file.versions.map { ($0, try file.contents(version: $0).model) }
        }
    }

    /// What people call a version of this model.
    func name(of model: ManagedObjectModel) -> String? {
        if let versionName { return versionName }
        // What has no name is told by its checksum.
        let known = try? versions().last { $0.model.hasChecksum(model.versionChecksum) }?.name
        return known ?? model.versionIdentifier
    }

    func options(_ patience: LockPatience? = nil) -> MigrationOptions {
        var options = MigrationOptions()
        options.confirmedDrops = Set(confirmedDrops)
        options.shouldDeferLightweightMigration = shouldDefer
        options.goesBack = back || versionName != nil
        patience?.apply(to: &options)
        return options
    }

    /// Runs `body` on a session of its own.
    ///
    /// - Parameters:
    ///   - url: another database than the one that the options name.
    ///   - patience: how long it waits for locks.
    func withMigration<T>(
        at other: String? = nil, patience: LockPatience? = nil, _ body: (StoreMigration) throws -> T
    ) throws -> T {
        let url = try other ?? address.url
        return try MigrateCommand.explained {
            do {
                return try withMigration(to: url, patience, body)
            } catch let error as MigrationError where other != nil && error.code == .missingGrant {
                // What the role may do in the store itself is another question.
                guard let refusal = error.databaseError else { throw error }
                throw MigrationError(
                    .missingGrant,
                    "The role of --clone has no permission for the copy of the store. Use the owner of the copy's tables in --clone.",
                    databaseError: refusal)
            }
        }
    }

    private func withMigration<T>(
        to url: String, _ patience: LockPatience?, _ body: (StoreMigration) throws -> T
    ) throws -> T {
        let target = try model()
        if path == nil, planPath == nil, let compiled = CompiledPlan.current {
            return try compiled.withPath(url, schemaName: address.schema) { connection, path in
                try body(migration(connection, target, path, patience))
            }
        }
        let file = try planFile()
        let path = try file?.path(schemaName: address.schema)
        try file?.tellUnneededConfirmations()
        let connection = try StoreAddress.connect(to: url, as: "howdah migrate")
        defer { connection.close() }
        return try body(migration(connection, target, path, patience))
    }

    private func migration(
        _ connection: Connection, _ target: ManagedObjectModel, _ path: MigrationPath?,
        _ patience: LockPatience?
    ) throws -> StoreMigration {
        // Commands that migrate have limits of their own.
        if patience == nil { try MigrateCommand.limitLockWait(on: connection) }
        // A version that cannot be read is no reason against going to another one.
        let order = (try? self.path.map { try Self.versions(of: $0).map(\.model) }) ?? []
        var migration = StoreMigration(
            connection, path, to: target, schemaName: address.schema, options: options(patience))
        migration.order = order
        try checkConfirmations(of: &migration)
        return migration
    }

    /// Compares the names and the token of confirmed drops with the migration, and prints those that confirm nothing.
    private func checkConfirmations(of migration: inout StoreMigration) throws {
        guard let names = try migration.confirmations() else {
            for name in Set(confirmedDrops).sorted() {
                Output.tell(
                    "note: --confirm-drop \(name) was not needed, because the store does not exist yet")
            }
            return
        }
        if !names.unknown.isEmpty {
            throw ValidationError(
                UnknownNames.complaint(of: names.unknown, "--confirm-drop", names.versionCount))
        }
        for name in names.unneeded {
            Output.tell(
                "note: --confirm-drop \(name) was not needed, because the migration does not drop \(name)")
        }
        guard let allDropsToken else { return }
        switch try migration.confirmDrops(token: allDropsToken) {
        case .confirmed: break
        case .noMigration:
            Output.tell("note: --confirm-all-drops was not needed, because the store already has the model")
        case .nothingOpen:
            Output.tell("note: --confirm-all-drops was not needed, because nothing is left to confirm")
        case .otherDrops(let open):
            throw ValidationError(
                ("--confirm-all-drops \(allDropsToken) is for another list of drops. To confirm "
                    + open.sorted().joined(separator: ", ")
                    + ", use --confirm-all-drops \(DropConfirmations.token(of: open)).").printable)
        }
    }
}
