/// An index over one or several properties of an entity that makes fetches faster.
///
/// Source: Core Data's `NSFetchIndexDescription`; the kinds are PostgreSQL's,
/// <https://www.postgresql.org/docs/current/indexes-types.html>.
public struct FetchIndexDescription: Hashable, Sendable {
    /// The structure of an index.
    public struct Method: Hashable, Sendable {
        package let name: String

        /// Equality, ranges and order; the default.
        public static let btree = Method(name: "btree")
        /// Members of arrays, and keys and values in JSON.
        public static let gin = Method(name: "gin")
        /// Ranges and shapes, with operator classes of the database.
        public static let gist = Method(name: "gist")
        /// Values that grow with the table, such as times of arrival; tiny, for large tables.
        public static let brin = Method(name: "brin")
        /// Equality only; for values of any length.
        public static let hash = Method(name: "hash")

        static let all: [Method] = [.btree, .gin, .gist, .brin, .hash]
        /// The names of all methods.
        package static let names = all.map(\.name)
    }

    /// The name, unique among the entity's indexes.
    public var name: String
    /// The indexed elements, the most selective first.
    public var elements: [FetchIndexElement]
    /// The format of a predicate for the objects in the index; nil for all.
    public var partialIndexPredicate: String?
    /// The structure of the index.
    public var method: Method

    /// Creates an index.
    public init(
        _ name: String, elements: [FetchIndexElement], partialIndexPredicate: String? = nil,
        method: Method = .btree
    ) {
        self.name = name
        self.elements = elements
        self.partialIndexPredicate = partialIndexPredicate
        self.method = method
    }

    /// Creates an index on properties in ascending order.
    public init(_ name: String, on properties: String..., method: Method = .btree) {
        self.init(name, elements: properties.map { FetchIndexElement($0) }, method: method)
    }
}

/// Default values are left out.
extension FetchIndexDescription: Codable {
    private enum CodingKeys: String, CodingKey { case name, elements, partialIndexPredicate, method }

    /// Encodes the name and elements, and other values if they are not the default.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(elements, forKey: .elements)
        try container.encodeIfPresent(partialIndexPredicate, forKey: .partialIndexPredicate)
        try container.encode(method.name, forKey: .method, unless: Method.btree.name)
    }

    /// Decodes the output of ``encode(to:)``.
    ///
    /// - Throws: `DecodingError` for a method that this version of the library does not know.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let name = try container.decode(.method, default: Method.btree.name)
        guard let method = Method.all.first(where: { $0.name == name }) else {
            throw DecodingError.dataCorruptedError(
                forKey: .method, in: container,
                debugDescription: "\"\(name)\" is not an index method of this version of Howdah. Use one of "
                    + "\(Method.all.map(\.name).joined(separator: ", ")), or a newer version of Howdah.")
        }
        self.init(
            try container.decode(String.self, forKey: .name),
            elements: try container.decode([FetchIndexElement].self, forKey: .elements),
            partialIndexPredicate: try container.decodeIfPresent(String.self, forKey: .partialIndexPredicate),
            method: method)
    }
}
