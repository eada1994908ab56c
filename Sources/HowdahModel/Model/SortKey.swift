/// One criterion of a sort of `Object`s: a property and a direction.
///
/// Strings sort by Unicode scalars; nil comes first ascending and last descending, in the database and in
/// memory alike. Source: Foundation's `NSSortDescriptor`.
public struct SortKey<Object>: Hashable, Sendable {
    /// The property to sort by: names joined by dots, over to-one relationships and composites only.
    public let keyPath: String
    /// Whether the smallest value comes first.
    public let isAscending: Bool
    /// Why the key cannot be used; the fetch that uses it throws it.
    package let complaint: String?

    /// Makes a criterion of `keyPath`.
    public init(keyPath: String, ascending isAscending: Bool = true) {
        self.keyPath = keyPath
        self.isAscending = isAscending
        complaint = nil
    }

    /// Makes a criterion that cannot be used, of a path without a name.
    package init(complaint: String, ascending isAscending: Bool) {
        keyPath = ""
        self.isAscending = isAscending
        self.complaint = complaint
    }

    /// Sorts by the property of that name, or a key path of names.
    ///
    /// Not called `ascending` as with Swift's key paths: with one name for both the compiler could not say which property
    /// was misspelt.
    public static func key(_ keyPath: String, ascending: Bool = true) -> SortKey {
        SortKey(keyPath: keyPath, ascending: ascending)
    }

    /// The same property in the opposite direction.
    ///
    /// Reverse every key of a request to read its result from the end.
    ///
    /// Source: Foundation's `reversedSortDescriptor`.
    public var reversed: SortKey {
        if let complaint { return SortKey(complaint: complaint, ascending: !isAscending) }
        return SortKey(keyPath: keyPath, ascending: !isAscending)
    }
}

extension SortKey: Codable {
    private enum CodingKeys: String, CodingKey {
        case keyPath, isAscending
    }

    /// Reads a key path and its direction.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            keyPath: try container.decode(String.self, forKey: .keyPath),
            ascending: try container.decode(Bool.self, forKey: .isAscending))
    }

    /// Writes the key path and its direction.
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
    }
}
