internal import HowdahMigration
public import HowdahModel
import HowdahRuntime

/// A version of a model that stores may have: the model, or its source, and the checksum that it must have.
///
/// The checksum is compared before anything is migrated. It detects changes of a version after it was in use.
///
/// Source: Core Data's `NSManagedObjectModelReference`.
public struct ManagedObjectModelReference: Sendable {
    /// The version's name in messages.
    public let name: String
    /// The checksum that the model must have; nil for a ``VersionedSchema`` without one.
    public let versionChecksum: String?
    private let load: (@Sendable () throws -> ManagedObjectModel)?

    /// Creates a version with its model.
    ///
    /// - Parameter name: The name; nil for the model's version identifier, or the beginning of its checksum.
    public init(_ model: ManagedObjectModel, versionChecksum: String, name: String? = nil) {
        self.init(
            name: name ?? model.versionIdentifier ?? Self.short(versionChecksum), expected: versionChecksum
        ) { model }
    }

    /// Creates a version whose model is read when a migration is planned, for example from a file.
    public init(
        name: String, versionChecksum: String,
        loading load: @escaping @Sendable () throws -> ManagedObjectModel
    ) {
        self.init(name: name, expected: versionChecksum, load: load)
    }

    /// Creates a version without its model: the store, the container or another stage has it.
    public init(versionChecksum: String) {
        self.init(name: Self.short(versionChecksum), expected: versionChecksum, load: nil)
    }

    init(_ schema: any VersionedSchema.Type) {
        self.init(name: schema.versionIdentifier, expected: schema.versionChecksum) { try schema.model }
    }

    private init(name: String, expected: String?, load: (@Sendable () throws -> ManagedObjectModel)?) {
        self.name = name
        versionChecksum = expected
        self.load = load
    }

    private static func short(_ checksum: String) -> String { String(checksum.prefix(12)) }

    /// Returns the version with its model read and compared.
    ///
    /// - Throws: `MigrationError` with `missingModel` if it cannot be read, or `checksumMismatch`.
    func resolved() throws(MigrationError) -> MigrationPath.Version {
        guard let load else {
            return MigrationPath.Version(name: name, checksum: versionChecksum ?? "", model: nil)
        }
        let model: ManagedObjectModel
        do {
            model = try load()
        } catch {
            throw MigrationError(
                .missingModel, "The model of the version \(name) cannot be read: \(error)",
                underlyingError: error)
        }
        let checksum = model.versionChecksum
        if let versionChecksum, !model.hasChecksum(versionChecksum) {
            throw MigrationError(
                .checksumMismatch,
                "The model of the version \(name) has the checksum \(checksum), but the stage expects \(versionChecksum). "
                    + "The model was edited. Restore the earlier model from version control, and make the change in a new version."
            )
        }
        return MigrationPath.Version(name: name, checksum: checksum, model: model)
    }
}
