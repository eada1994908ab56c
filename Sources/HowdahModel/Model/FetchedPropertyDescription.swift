/// A property of an entity whose value is the result of a fetch request.
///
/// In the request's predicate, `$FETCH_SOURCE` is the object whose property you read, and
/// `$FETCH_SOURCE.name` one of its values, over any relationships. `$FETCHED_PROPERTY` is the property's
/// name, and `$FETCHED_PROPERTY.userInfo.key` one of its annotations.
///
/// Source: Core Data's `NSFetchedPropertyDescription`.
public struct FetchedPropertyDescription: Hashable, Sendable, Codable {
    /// The variable for the object.
    package static let source = PredicateTree.fetchSource
    /// The variable for the property.
    package static let property = PredicateTree.fetchedProperty

    /// The name, unique within its entity and superentities.
    public var name: String
    /// The fetch request.
    public var fetchRequest: FetchRequestTemplate
    /// Annotations.
    public var userInfo: [String: String]

    /// Creates a fetched property.
    public init(_ name: String, _ fetchRequest: FetchRequestTemplate, userInfo: [String: String] = [:]) {
        self.name = name
        self.fetchRequest = fetchRequest
        self.userInfo = userInfo
    }

    /// Decodes the output of `encode(to:)`; annotations may be missing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .name),
            try container.decode(FetchRequestTemplate.self, forKey: .fetchRequest),
            userInfo: try container.decode(.userInfo, default: [:]))
    }
}
