/// The limits of the JSON that an import takes; the defaults suit the body of a request. The key paths of the import limit
/// what a body may change.
public struct GraphImportLimits: Hashable, Sendable {
    /// The most bytes of a document.
    public var maximumBytes = 16 << 20
    /// The most objects of a document, nested ones too.
    public var maximumObjects = 100_000
    /// The most arrays and objects inside one another; at most 512.
    public var maximumDepth = 64

    /// 16 MiB, 100,000 objects, 64 levels.
    public init() {}
}
