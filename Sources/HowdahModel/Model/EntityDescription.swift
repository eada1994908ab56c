internal import Foundation

/// An entity of a model.
///
/// Source: Core Data's `NSEntityDescription`.
public struct EntityDescription: Hashable, Sendable {
    /// The name, unique within the model.
    public var name: String
    /// The class of the entity's objects; nil for objects without a class.
    public var className: String?
    /// A Boolean value that indicates whether you can create objects only of its subentities.
    public var isAbstract: Bool
    /// The name of the entity whose properties it inherits; nil for the root of a hierarchy.
    public var superentity: String?
    /// Its own properties in declaration order, without the inherited ones.
    public var properties: [PropertyDescription]
    /// Groups of property names; no two objects may have the same values of a group.
    ///
    /// Objects with a nil value in the group are exempt.
    public var uniquenessConstraints: [[String]]
    /// The indexes for fetches, in addition to those of relationships and uniqueness.
    public var fetchIndexes: [FetchIndexDescription]
    /// The properties whose values are fetched on access.
    public var fetchedProperties: [FetchedPropertyDescription]
    /// The entity's name in an earlier version of the model.
    public var renamingIdentifier: String?
    /// A text that distinguishes this version of the entity from an otherwise equal one.
    public var versionHashModifier: String?
    /// Annotations; ``MappingKey`` has the keys for the mapping.
    public var userInfo: [String: String]

    /// Creates an entity.
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

    /// The name in rows and object ids, which does not change if you rename the entity.
    ///
    /// It is in NFC, because the database compares bytes.
    public var storedName: String { (renamingIdentifier ?? name).precomposed }
}

/// Default values are left out, so that model files stay short and their differences readable.
extension EntityDescription: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, className, isAbstract, superentity, properties, uniquenessConstraints
        case fetchIndexes, fetchedProperties
        case renamingIdentifier, versionHashModifier, userInfo
    }

    /// Encodes all values that differ from a concrete root entity without properties.
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

    /// Decodes the output of ``encode(to:)``.
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
    /// The name, which predicates compare with `entity` and `entity.name`.
    package var predicateValue: Value { .string(name) }
}
