/// What an object's accessors must know before they touch a field; one word, tested once per access.
public struct ObjectFlags: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt32

    /// Makes flags of bits.
    @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The row was not loaded yet.
    public static let fault = ObjectFlags(rawValue: 1)
    /// The context ended; plain values stay readable, relationships are gone.
    public static let detached = ObjectFlags(rawValue: 2)
    /// Each change is told to the context, because it keeps what was before, or tells it on.
    public static let watched = ObjectFlags(rawValue: 1024)
    /// Another object stands for the row, and this one passes everything on to it.
    public static let forwarding = ObjectFlags(rawValue: 16384)
    package static let inserted = ObjectFlags(rawValue: 4)
    static let updated = ObjectFlags(rawValue: 8)
    package static let deleted = ObjectFlags(rawValue: 16)
    /// In the context's identity map.
    static let registered = ObjectFlags(rawValue: 32)
    /// A to-many changed, which moves no column of the object's own row.
    static let linksChanged = ObjectFlags(rawValue: 64)
    /// The object's row was looked for and is gone.
    static let vanished = ObjectFlags(rawValue: 128)
    /// In the context's list of updated objects, where it may stay after its changes were dropped.
    static let listed = ObjectFlags(rawValue: 256)
    /// A to-many changed that is kept by this object's row; see ``RelationshipLayout/isKeptByOwner``.
    static let listChanged = ObjectFlags(rawValue: 512)
    /// Was told that it is going to be deleted.
    static let prepared = ObjectFlags(rawValue: 2048)
    /// Filled by the generator of a batch insertion; no context has it, and no other object knows of it.
    static let scratch = ObjectFlags(rawValue: 4096)
    /// Beside ``fault``: some of the row's values are here, and ``ManagedObject/part`` says which.
    static let partial = ObjectFlags(rawValue: 8192)
    /// The row was loaded, and `awakeFromFetch` is still to be called.
    static let filled = ObjectFlags(rawValue: 32768)
}
