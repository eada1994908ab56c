#if Full || Server || Browser || All || Macros
/// A case's name for `@Attribute(unknown:)`: one of the common names for values from other versions.
///
/// If your case has another name, write it with its type: `@Attribute(unknown: Tier.fallback)`.
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
