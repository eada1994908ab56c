import HowdahRuntime

/// Versions that follow from one another by inference, in order; from each to the next is one transaction.
///
/// Source: Core Data's `NSLightweightMigrationStage`.
public struct LightweightMigrationStage: Sendable, MigrationStageConvertible {
    /// The versions, in the order in which they came.
    public let versions: [ManagedObjectModelReference]
    /// What plans and the ledger call it; nil for the versions' names.
    public var label: String?
    /// Entities and `Entity.property` of the versions whose values may go: those that a later version no longer has.
    public var confirmedDrops: Set<String>

    /// A stage through `versions`.
    ///
    /// - Parameters:
    ///   - label: see ``label``.
    ///   - confirmedDrops: see ``confirmedDrops``.
    public init(
        _ versions: [ManagedObjectModelReference], label: String? = nil, confirmedDrops: Set<String> = []
    ) {
        self.versions = versions
        self.label = label
        self.confirmedDrops = confirmedDrops
    }

    /// A stage through versions of which the models are the store's or the container's, or named by other stages.
    public init(_ versionChecksums: [String], label: String? = nil, confirmedDrops: Set<String> = []) {
        self.init(
            versionChecksums.map { ManagedObjectModelReference(versionChecksum: $0) }, label: label,
            confirmedDrops: confirmedDrops)
    }

    /// The stage as one of several.
    public var stage: MigrationStage { .lightweight(self) }
}
