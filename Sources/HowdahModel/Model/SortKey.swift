/// A criterion of a sort of `Object`s: a property and a direction.
///
/// Strings sort by Unicode scalars. Nil is first ascending and last descending, both in the database and in
/// memory.
///
/// Source: Foundation's `NSSortDescriptor`.
public struct SortKey<Object>: Hashable, Sendable {
    /// The property to sort by: names joined by dots, over to-one relationships and composites only.
    public let keyPath: String
    /// A Boolean value that indicates whether the smallest value is first.
    public let isAscending: Bool
    /// The reason why the key cannot be used, which the fetch throws; nil if it can.
    package let complaint: String?

    /// Creates a criterion of `keyPath`.
    public init(keyPath: String, ascending isAscending: Bool = true) {
        self.keyPath = keyPath
        self.isAscending = isAscending
        complaint = nil
    }

    /// Creates a criterion that cannot be used, for a path without a name.
    package init(complaint: String, ascending isAscending: Bool) {
        keyPath = ""
        self.isAscending = isAscending
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
        return SortKey(keyPath: keyPath, ascending: !isAscending)
    }
}

extension SortKey: Codable {
    private enum CodingKeys: String, CodingKey {
        case keyPath, isAscending
    }

    /// Decodes a key path and its direction.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            keyPath: try container.decode(String.self, forKey: .keyPath),
            ascending: try container.decode(Bool.self, forKey: .isAscending))
    }

    /// Encodes the key path and its direction.
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
