package import HowdahModel

/// The checksums of a version, each computed once for any number of comparisons.
package struct ModelChecksums: Sendable {
    package let current: String
    /// The one from before an optional minimum was a part of it; nil if it is the same.
    private let earlier: String?

    package init(_ model: ManagedObjectModel) {
        (current, earlier) = (model.versionChecksum, model.earlierChecksum)
    }

    /// Indicates whether a checksum is one of the version, as `ManagedObjectModel.hasChecksum(_:)` does.
    func has(_ checksum: String) -> Bool { checksum == current || checksum == earlier }

    /// Indicates whether two models are the same version, by any of their checksums.
    func isVersion(_ other: ModelChecksums) -> Bool { has(other.current) || other.has(current) }
}
