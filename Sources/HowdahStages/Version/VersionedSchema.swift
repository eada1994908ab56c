public import HowdahModel
import HowdahRuntime

/// A version of a model in code, as it was when stores were made with it.
///
/// It stays as it is for as long as there are stores of it: a version that shares classes with the present one changes
/// with them. Descriptions of entities, or frozen copies of the classes, do not.
///
/// Source: SwiftData's `VersionedSchema`.
public protocol VersionedSchema: SendableMetatype {
    /// The version's model.
    static var model: ManagedObjectModel { get throws }
    /// What messages call the version; the type's name by default.
    static var versionIdentifier: String { get }
    /// The checksum that the model must have, by which a change made by mistake is found out; nil by default, and nothing
    /// is compared.
    static var versionChecksum: String? { get }
}

extension VersionedSchema {
    /// The type's name.
    public static var versionIdentifier: String { "\(Self.self)" }
    /// None.
    public static var versionChecksum: String? { nil }
}
