internal import Foundation

/// One entity of a model.
///
/// Source: Core Data's `NSEntityDescription`.
public struct EntityDescription: Hashable, Sendable {
    /// The name, unique within the model.
    public var name: String
    /// The class of the entity's objects; nil for objects without a class.
    public var className: String?
    /// Whether objects can only be made of its subentities.
    public var isAbstract: Bool
    /// The name of the entity whose properties it inherits; nil for the root of a hierarchy.
    public var superentity: String?
    /// Its own properties in declaration order, without the inherited ones.
    public var properties: [PropertyDescription]
    /// Groups of property names whose values no two objects may share; objects with a nil among them are exempt.
    public var uniquenessConstraints: [[String]]
    /// The indexes that fetches use, besides those that relationships and uniqueness bring.
    public var fetchIndexes: [FetchIndexDescription]
    /// Properties that are fetched when they are asked for.
    public var fetchedProperties: [FetchedPropertyDescription]
    /// What the entity was called in an earlier version of the model.
    public var renamingIdentifier: String?
    /// A text that makes this version of the entity differ from one that is otherwise the same.
    public var versionHashModifier: String?
    /// Annotations; the keys that steer the mapping are in ``MappingKey``.
    public var userInfo: [String: String]

    /// Describes an entity.
    public init(
        _ name: String, className: String? = nil, abstract: Bool = false, superentity: String? = nil,
        properties: [PropertyDescription] = [], uniquenessConstraints: [[String]] = [],
        fetchIndexes: [FetchIndexDescription] = [], fetchedProperties: [FetchedPropertyDescription] = [],
        renamingIdentifier: String? = nil, versionHashModifier: String? = nil,
        userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.className = className
        self.isAbstract = abstract
        self.superentity = superentity
        self.properties = properties
        self.uniquenessConstraints = uniquenessConstraints
        self.fetchIndexes = fetchIndexes
        self.fetchedProperties = fetchedProperties
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
    }

    /// The name that rows and object ids carry, which a rename of the entity does not change; in NFC, because the
    /// database compares bytes.
    public var storedName: String { (renamingIdentifier ?? name).precomposed }
}

/// What has its default value is left out, so that model files stay short and their differences readable.
extension EntityDescription: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, className, isAbstract, superentity, properties, uniquenessConstraints
        case fetchIndexes, fetchedProperties
        case renamingIdentifier, versionHashModifier, userInfo
    }

    /// Writes everything that differs from a concrete root entity without properties.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(className, forKey: .className)
        try container.encode(isAbstract, forKey: .isAbstract, unless: false)
        try container.encodeIfPresent(superentity, forKey: .superentity)
        try container.encode(properties, forKey: .properties, unless: [])
        try container.encode(uniquenessConstraints, forKey: .uniquenessConstraints, unless: [])
        try container.encode(fetchIndexes, forKey: .fetchIndexes, unless: [])
        try container.encode(fetchedProperties, forKey: .fetchedProperties, unless: [])
        try container.encodeIfPresent(renamingIdentifier, forKey: .renamingIdentifier)
        try container.encodeIfPresent(versionHashModifier, forKey: .versionHashModifier)
        try container.encode(userInfo, forKey: .userInfo, unless: [:])
    }

    /// Reads what ``encode(to:)`` wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .name),
            className: try container.decodeIfPresent(String.self, forKey: .className),
            abstract: try container.decode(.isAbstract, default: false),
            superentity: try container.decodeIfPresent(String.self, forKey: .superentity),
            properties: try container.decode(.properties, default: []),
            uniquenessConstraints: try container.decode(.uniquenessConstraints, default: []),
            fetchIndexes: try container.decode(.fetchIndexes, default: []),
            fetchedProperties: try container.decode(.fetchedProperties, default: []),
            renamingIdentifier: try container.decodeIfPresent(String.self, forKey: .renamingIdentifier),
            versionHashModifier: try container.decodeIfPresent(String.self, forKey: .versionHashModifier),
            userInfo: try container.decode(.userInfo, default: [:]))
    }
}

extension EntityDescription: PredicateArgument {
    /// The name, which `entity` and `entity.name` are compared with.
    package var predicateValue: Value { .string(name) }
}
