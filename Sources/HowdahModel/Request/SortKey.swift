/// One criterion of a sort: a key path and its direction.
///
/// Strings sort by Unicode scalars; nil comes first ascending and last descending, in the database and in
/// memory alike. Source: Foundation's `NSSortDescriptor`.
public struct SortKey: Hashable, Sendable, Codable {
    /// The property to sort by: names joined by dots, over to-one relationships and composites only.
    public let keyPath: String
    /// Whether the smallest value comes first.
    public let isAscending: Bool

    /// Makes a criterion of `keyPath`.
    public init(keyPath: String, ascending isAscending: Bool = true) {
        self.keyPath = keyPath
        self.isAscending = isAscending
    }

    /// Sorts by `keyPath`, smallest first.
    public static func ascending(_ keyPath: String) -> SortKey { SortKey(keyPath: keyPath) }

    /// Sorts by `keyPath`, greatest first.
    public static func descending(_ keyPath: String) -> SortKey {
        SortKey(keyPath: keyPath, ascending: false)
    }
}
