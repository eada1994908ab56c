#if Full || Macros
/// A case's name for `@Attribute(unknown:)`: one of those that enums commonly have for values from elsewhere.
///
/// For a case with another name, write it with its type: `@Attribute(unknown: Tier.fallback)`.
public struct UnknownCase: Sendable {
    /// The case `other`.
    public static let other = UnknownCase()
    /// The case `unknown`.
    public static let unknown = UnknownCase()
    /// The case `unrecognized`.
    public static let unrecognized = UnknownCase()
    /// The case `unsupported`.
    public static let unsupported = UnknownCase()
}
#endif
