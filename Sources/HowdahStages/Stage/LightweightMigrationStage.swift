import HowdahRuntime

/// Versions that inference can migrate from one to the next, in order; each step is one transaction.
///
/// Source: Core Data's `NSLightweightMigrationStage`.
public struct LightweightMigrationStage: Sendable, MigrationStageConvertible {
    /// The versions, in their historical order.
    public let versions: [ManagedObjectModelReference]
    /// The name in plans and the ledger; nil for the versions' names.
    public var label: String?
    /// The entities and each `Entity.property` of the versions whose values may be dropped by a later
    /// version.
    public var confirmedDrops: Set<String>

    /// Creates a stage through `versions`.
    ///
    /// - Parameters:
    ///   - label: See ``label``.
    ///   - confirmedDrops: See ``confirmedDrops``.
    public init(
        _ versions: [ManagedObjectModelReference], label: String? = nil, confirmedDrops: Set<String> = []
    ) {
        self.versions = versions
        self.label = label
        self.confirmedDrops = confirmedDrops
    }

    /// Creates a stage through versions whose models the store, the container or other stages have.
    public init(_ versionChecksums: [String], label: String? = nil, confirmedDrops: Set<String> = []) {
        self.init(
            versionChecksums.map { ManagedObjectModelReference(versionChecksum: $0) }, label: label,
            confirmedDrops: confirmedDrops)
    }

    /// The stage as a ``MigrationStage``.
    public var stage: MigrationStage { .lightweight(self) }
}
