/// A fetch request that is a part of a model; its predicate may have `$variables`.
///
/// Source: Core Data's fetch request templates.
public struct FetchRequestTemplate: Hashable, Sendable {
    /// A type of result of a fetch.
    public struct ResultType: Hashable, Sendable {
        package let name: String

        /// Objects.
        public static let objects = ResultType(name: "objects")
        /// The ids of objects.
        public static let objectIDs = ResultType(name: "objectIDs")
        /// Dictionaries of values.
        public static let dictionaries = ResultType(name: "dictionaries")
        /// The number of objects.
        public static let count = ResultType(name: "count")

        static let all: [ResultType] = [.objects, .objectIDs, .dictionaries, .count]
        /// The names of all types.
        package static let names = all.map(\.name)
    }

    /// The entity's name.
    public var entityName: String
    /// The predicate's format; nil for all objects.
    public var predicateFormat: String?
    /// The order. Xcode's editor has none, so models that are read from files leave it to the program.
    public var sortDescriptors: [SortKey<Any>] = []
    /// The maximum number of objects; 0 means no limit.
    public var fetchLimit = 0
    /// The number of objects that are loaded at once; 0 means all.
    public var fetchBatchSize = 0
    /// The type of result.
    public var resultType = ResultType.objects
    /// A Boolean value that indicates whether objects of subentities are fetched too.
    public var includesSubentities = true
    /// A Boolean value that indicates whether the values of rows are read.
    public var includesPropertyValues = true
    /// A Boolean value that indicates whether unsaved changes count.
    public var includesPendingChanges = true
    /// A Boolean value that indicates whether objects are returned as faults.
    public var returnsObjectsAsFaults = true
    /// A Boolean value that indicates whether equal dictionaries are returned once.
    public var returnsDistinctResults = false

    /// Creates a template for the objects of an entity that match a format; nil for all.
    public init(entityName: String, predicateFormat: String? = nil) {
        self.entityName = entityName
        self.predicateFormat = predicateFormat
    }
}

/// Default values are left out.
extension FetchRequestTemplate: Codable {
    private enum CodingKeys: String, CodingKey {
        case entityName, predicateFormat, sortDescriptors, fetchLimit, fetchBatchSize, resultType,
            includesSubentities
        case includesPropertyValues, includesPendingChanges, returnsObjectsAsFaults, returnsDistinctResults
    }

    /// Encodes the entity's name, and other values if they are not the default.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(entityName, forKey: .entityName)
        try container.encodeIfPresent(predicateFormat, forKey: .predicateFormat)
        try container.encode(sortDescriptors, forKey: .sortDescriptors, unless: [])
        try container.encode(fetchLimit, forKey: .fetchLimit, unless: 0)
        try container.encode(fetchBatchSize, forKey: .fetchBatchSize, unless: 0)
        try container.encode(resultType.name, forKey: .resultType, unless: ResultType.objects.name)
        try container.encode(includesSubentities, forKey: .includesSubentities, unless: true)
        try container.encode(includesPropertyValues, forKey: .includesPropertyValues, unless: true)
        try container.encode(includesPendingChanges, forKey: .includesPendingChanges, unless: true)
        try container.encode(returnsObjectsAsFaults, forKey: .returnsObjectsAsFaults, unless: true)
        try container.encode(returnsDistinctResults, forKey: .returnsDistinctResults, unless: false)
    }

    /// Decodes the output of ``encode(to:)``.
    ///
    /// - Throws: `DecodingError` for a result type that this version of the library does not know.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            entityName: try container.decode(String.self, forKey: .entityName),
            predicateFormat: try container.decodeIfPresent(String.self, forKey: .predicateFormat))
        sortDescriptors = try container.decode(.sortDescriptors, default: [])
        fetchLimit = try container.decode(.fetchLimit, default: 0)
        fetchBatchSize = try container.decode(.fetchBatchSize, default: 0)
        includesSubentities = try container.decode(.includesSubentities, default: true)
        includesPropertyValues = try container.decode(.includesPropertyValues, default: true)
        includesPendingChanges = try container.decode(.includesPendingChanges, default: true)
        returnsObjectsAsFaults = try container.decode(.returnsObjectsAsFaults, default: true)
        returnsDistinctResults = try container.decode(.returnsDistinctResults, default: false)
        let name = try container.decode(.resultType, default: ResultType.objects.name)
        guard let type = ResultType.all.first(where: { $0.name == name }) else {
            throw DecodingError.dataCorruptedError(
                forKey: .resultType, in: container,
                debugDescription: "\"\(name)\" is not a result type of this version of Howdah. Use one of "
                    + "\(ResultType.all.map(\.name).joined(separator: ", ")), or a newer version of Howdah.")
        }
        resultType = type
    }
}
