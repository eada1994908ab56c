import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahStages
import PQClient
import Synchronization

/// The stages of the program that the commands are part of; set before they run.
struct CompiledPlan: Sendable {
    private static let registered = Mutex<CompiledPlan?>(nil)

    static var current: CompiledPlan? {
        get { registered.withLock { $0 } }
        set { registered.withLock { $0 = newValue } }
    }

    let manager: StagedMigrationManager
    let model: ManagedObjectModel
    let options: StoreOptions

    /// The versions and what is between them, without handlers that could run.
    func path() throws -> MigrationPath { try manager.pathWithoutHandlers() }

    func target(named name: String?) throws -> ManagedObjectModel {
        guard let name else { return model }
        let versions = try path().versions
        guard let version = versions.first(where: { $0.name == name }), let model = version.model else {
            throw CommandError(
                "Unknown version \"\(name)\". Use one of these: \(versions.map(\.name).joined(separator: ", ")).",
                code: "unknownVersion", status: CommandError.usage)
        }
        return model
    }

    func withPath<T>(
        _ url: String, schemaName: String, _ body: (Connection, MigrationPath?) throws -> T
    ) throws -> T {
        var options = options
        options.schemaName = schemaName
        options.stagedMigrationManager = manager
        return try PersistentContainer.withMigrationPath(url, model: model, options: options, body)
    }
}
