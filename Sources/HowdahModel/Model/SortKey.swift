/// A criterion of a sort of `Object`s: a property and a direction.
///
/// Strings sort by Unicode scalars, unless a key names a locale; see ``inLocale(_:)``. Nil is first
/// ascending and last descending, both in the database and in memory.
///
/// Source: Foundation's `NSSortDescriptor`.
public struct SortKey<Object>: Hashable, Sendable {
    /// The property to sort by: names joined by dots, over to-one relationships and composites only.
    public let keyPath: String
    /// A Boolean value that indicates whether the smallest value is first.
    public let isAscending: Bool
    /// The locale whose rules sort texts, such as `de`; nil for the order of Unicode scalars.
    public let locale: String?
    /// The reason why the key cannot be used, which the fetch throws; nil if it can.
    package let complaint: String?

    /// Creates a criterion of `keyPath`.
    ///
    /// - Parameter locale: The locale whose rules sort texts; see ``inLocale(_:)``.
    public init(keyPath: String, ascending isAscending: Bool = true, locale: String? = nil) {
        self.keyPath = keyPath
        self.isAscending = isAscending
        self.locale = locale
        complaint = nil
    }

    /// Creates a criterion that cannot be used, for a path without a name.
    package init(complaint: String, ascending isAscending: Bool) {
        keyPath = ""
        self.isAscending = isAscending
        locale = nil
        self.complaint = complaint
    }

    /// Returns a criterion of the property of that name, or of a key path of names.
    ///
    /// Its name is not `ascending` as with Swift's key paths. If both had one name, the compiler could not
    /// name a misspelt property.
    public static func key(_ keyPath: String, ascending: Bool = true) -> SortKey {
        SortKey(keyPath: keyPath, ascending: ascending)
    }

    /// The same property in the opposite direction.
    ///
    /// To read the result of a request from its end, reverse every key.
    ///
    /// Source: Foundation's `reversedSortDescriptor`.
    public var reversed: SortKey {
        if let complaint { return SortKey(complaint: complaint, ascending: !isAscending) }
        return SortKey(keyPath: keyPath, ascending: !isAscending, locale: locale)
    }

    /// Returns the same criterion with texts in the order of a locale, as people of that language expect it.
    ///
    /// ```swift
    /// request.sortDescriptors = [.ascending(\.lastName).inLocale("de")]       // ada, bob, Émile, Öz, Zoe
    /// ```
    /// The server sorts by ICU's rules, and an index of the element
    /// ``FetchIndexElement/localized(_:locale:ascending:)`` has the order.
    ///
    /// A fetch throws `invalidRequest` if the text is not a locale, or if the server does not have it. The
    /// same applies to a property that is not a text. It throws it also if unsaved objects would be among
    /// the results, because memory does not have the order.
    ///
    /// - Parameter locale: A language in small letters, with a region after a hyphen if needed: `de`,
    ///   `de-AT`.
    public func inLocale(_ locale: String) -> SortKey {
        complaint == nil ? SortKey(keyPath: keyPath, ascending: isAscending, locale: locale) : self
    }
}

extension SortKey: Codable {
    private enum CodingKeys: String, CodingKey {
        case keyPath, isAscending, locale
    }

    /// Decodes a key path, its direction and its locale.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            keyPath: try container.decode(String.self, forKey: .keyPath),
            ascending: try container.decode(Bool.self, forKey: .isAscending),
            locale: try container.decodeIfPresent(String.self, forKey: .locale))
    }

    /// Encodes the key path, its direction, and its locale if there is one.
    ///
    /// - Throws: `EncodingError` for a key whose path has no name in the model.
    public func encode(to encoder: any Encoder) throws {
        if let complaint {
            throw EncodingError.invalidValue(
                self, .init(codingPath: encoder.codingPath, debugDescription: complaint))
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(keyPath, forKey: .keyPath)
        try container.encode(isAscending, forKey: .isAscending)
        try container.encodeIfPresent(locale, forKey: .locale)
    }
}
