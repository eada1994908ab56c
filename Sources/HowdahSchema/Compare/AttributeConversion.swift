package import HowdahModel

/// How every value of one attribute type becomes a value of another one without loss.
package struct AttributeConversion: Hashable {
    private enum Kind: Hashable { case same, cast, flag }

    private let kind: Kind

    /// Whether the stored value stays as it is.
    var isIdentity: Bool { kind == .same }

    /// What takes values of `old` to `new`, neither of which is a composite; nil where some value would be lost.
    static func between(_ old: AttributeDescription, _ new: AttributeDescription) -> Self? {
        guard old.isStoredAsJSON == new.isStoredAsJSON else { return nil }
        if old.type == new.type { return Self(kind: .same) }
        switch (old.type.kind, new.type.kind) {
        case (.uri, .string): return Self(kind: .same)
        case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64),
            (.integer16, .decimal), (.integer32, .decimal), (.integer64, .decimal),
            (.integer16, .double), (.integer32, .double), (.float, .double):
            return Self(kind: .cast)
        case (.boolean, .integer16), (.boolean, .integer32), (.boolean, .integer64): return Self(kind: .flag)
        default: return nil
        }
    }

    /// The new value as an expression over the old one.
    package func sql(_ expression: String, to type: StoreSchema.ColumnType) -> String {
        switch kind {
        case .same: expression
        case .cast: "CAST(\(expression) AS \(type.sql))"
        case .flag: "CAST(CAST(\(expression) AS integer) AS \(type.sql))"
        }
    }

    /// What types a value can become, for messages.
    package static let widenings =
        "Integer 16 to 32 or 64, 32 to 64, an Integer to Decimal, Integer 16 or 32 or Float to Double, Boolean to an "
        + "Integer, URI to String"
}
