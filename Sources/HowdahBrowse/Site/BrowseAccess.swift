/// The extent to which a request may use a ``BrowseSite``.
///
/// Later versions add writing: give a `switch` over access a `default`.
public enum BrowseAccess: Sendable, Hashable {
    /// The request is refused.
    case none
    /// The request may read everything that the store's connection may.
    case read
}
