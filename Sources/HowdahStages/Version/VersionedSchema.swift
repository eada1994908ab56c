public import HowdahModel
import HowdahRuntime

/// A version of a model in code, in its state when stores were created with it.
///
/// It must not change as long as there are stores of it. If a version shares classes with the present one, it
/// changes with them. Descriptions of entities, or frozen copies of the classes, do not change.
///
/// Source: SwiftData's `VersionedSchema`.
public protocol VersionedSchema: SendableMetatype {
    /// The version's model.
    static var model: ManagedObjectModel { get throws }
    /// The version's name in messages; the type's name by default.
    static var versionIdentifier: String { get }
    /// The checksum that the model must have, which detects accidental changes.
    ///
    /// It is nil by default, and nothing is compared.
    static var versionChecksum: String? { get }
}

extension VersionedSchema {
    /// The type's name.
    public static var versionIdentifier: String { "\(Self.self)" }
    /// Nil, so that nothing is compared.
    public static var versionChecksum: String? { nil }
}
