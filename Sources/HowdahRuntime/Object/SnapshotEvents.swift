/// Why an object's values were replaced by something else than a setter.
///
/// Source: Core Data's `NSSnapshotEventType`.
public struct SnapshotEvents: OptionSet, Sendable {
    /// The bits, as Core Data numbers them.
    public let rawValue: Int

    /// Makes a set of bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// An insertion was undone.
    public static let undoInsertion = SnapshotEvents(rawValue: 2)
    /// A deletion was undone.
    public static let undoDeletion = SnapshotEvents(rawValue: 4)
    /// A change was undone.
    public static let undoUpdate = SnapshotEvents(rawValue: 8)
    /// The context dropped its changes.
    public static let rollback = SnapshotEvents(rawValue: 16)
    /// The object was read anew, its changes put on top.
    public static let refresh = SnapshotEvents(rawValue: 32)
    /// A merge policy resolved a conflict.
    public static let mergePolicy = SnapshotEvents(rawValue: 64)
}
