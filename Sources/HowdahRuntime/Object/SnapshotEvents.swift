/// The reasons for a replacement of an object's values without a setter.
///
/// Source: Core Data's `NSSnapshotEventType`.
public struct SnapshotEvents: OptionSet, Sendable {
    /// The bits, as Core Data numbers them.
    public let rawValue: Int

    /// Creates a set from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// An insertion was undone.
    public static let undoInsertion = SnapshotEvents(rawValue: 2)
    /// A deletion was undone.
    public static let undoDeletion = SnapshotEvents(rawValue: 4)
    /// A change was undone.
    public static let undoUpdate = SnapshotEvents(rawValue: 8)
    /// The context dropped its changes.
    public static let rollback = SnapshotEvents(rawValue: 16)
    /// The object was read again, with its changes on top.
    public static let refresh = SnapshotEvents(rawValue: 32)
    /// A merge policy resolved a conflict.
    public static let mergePolicy = SnapshotEvents(rawValue: 64)
}
