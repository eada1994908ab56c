/// Who may use generated classes.
package enum AccessLevel: String, CaseIterable, Sendable {
    /// The module that they are generated into.
    case `internal`
    /// All modules of the package.
    case package
    /// Everybody; subclasses only in the module that they are generated into.
    case `public`

    /// What declarations begin with.
    var modifier: String { self == .internal ? "" : "\(rawValue) " }
}
