/// The state that an object's accessors check before they access a field; one word, tested once per access.
public struct _ObjectFlags: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt32

    /// Creates flags from bits.
    @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The row is not loaded yet.
    public static let fault = _ObjectFlags(rawValue: 1)
    /// The context ended; plain values stay readable, and relationships are removed.
    public static let detached = _ObjectFlags(rawValue: 2)
    /// The context receives each change, because it records former values or has listeners.
    public static let watched = _ObjectFlags(rawValue: 1024)
    /// Another object stands for the row, and this one forwards everything to it.
    public static let forwarding = _ObjectFlags(rawValue: 16384)
    package static let inserted = _ObjectFlags(rawValue: 4)
    static let updated = _ObjectFlags(rawValue: 8)
    package static let deleted = _ObjectFlags(rawValue: 16)
    /// In the context's identity map.
    static let registered = _ObjectFlags(rawValue: 32)
    /// A to-many changed, which moves no column of the object's own row.
    static let linksChanged = _ObjectFlags(rawValue: 64)
    /// The object's row was looked up and does not exist.
    static let vanished = _ObjectFlags(rawValue: 128)
    /// In the context's list of updated objects, in which it may stay after its changes were dropped.
    static let listed = _ObjectFlags(rawValue: 256)
    /// A to-many changed that is kept by this object's row; see ``RelationshipLayout/isKeptByOwner``.
    static let listChanged = _ObjectFlags(rawValue: 512)
    /// The hook for the coming deletion was called.
    static let prepared = _ObjectFlags(rawValue: 2048)
    /// Filled by the generator of a batch insertion; no context has it, and no other object refers to it.
    static let scratch = _ObjectFlags(rawValue: 4096)
    /// With ``fault``: some of the row's values are loaded; ``ManagedObject/part`` lists them.
    static let partial = _ObjectFlags(rawValue: 8192)
    /// The row was loaded, and `awakeFromFetch` was not called yet.
    static let filled = _ObjectFlags(rawValue: 32768)
}
