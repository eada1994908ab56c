/// One relationship of an entity.
///
/// Source: Core Data's `NSRelationshipDescription`.
public struct RelationshipDescription: Hashable, Sendable {
    /// The name, unique within its entity and superentities.
    public var name: String
    /// The name of the entity it leads to.
    public var destination: String
    /// The name of the destination's relationship that leads back; nil for none.
    public var inverse: String?
    /// The smallest number of destinations; 0 for none asked.
    public var minCount: Int
    /// The largest number of destinations; 1 makes a to-one relationship, 0 means unbounded.
    public var maxCount: Int
    /// Whether a to-many relationship keeps its destinations in order.
    public var isOrdered: Bool
    /// Whether a to-one relationship may be nil when the object is saved; a to-many has no minimum but ``minCount``.
    public var isOptional: Bool
    /// What happens to the destinations when the owner is deleted.
    public var deleteRule: DeleteRule
    /// Whether the relationship lives in memory only and has no column.
    public var isTransient: Bool
    /// What the relationship was called in an earlier version of the model.
    public var renamingIdentifier: String?
    /// A text that makes this version of the relationship differ from one that is otherwise the same.
    public var versionHashModifier: String?
    /// Annotations; the keys that steer the mapping are in ``MappingKey``.
    public var userInfo: [String: String]

    /// Describes a relationship; `toMany` sets ``maxCount`` to unbounded where none is given.
    public init(
        _ name: String, to destination: String, inverse: String? = nil, toMany: Bool = false,
        ordered: Bool = false, optional: Bool = true, minCount: Int = 0, maxCount: Int? = nil,
        deleteRule: DeleteRule = .nullify, transient: Bool = false, renamingIdentifier: String? = nil,
        versionHashModifier: String? = nil, userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.destination = destination
        self.inverse = inverse
        self.minCount = minCount
        self.maxCount = maxCount ?? (toMany ? 0 : 1)
        self.isOrdered = ordered
        self.isOptional = optional
        self.deleteRule = deleteRule
        self.isTransient = transient
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
    }

    /// Whether it can lead to more than one object.
    public var isToMany: Bool { maxCount != 1 }
}

/// What has its default value is left out, so that model files stay short and their differences readable.
extension RelationshipDescription: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, destination, inverse, minCount, maxCount, isOrdered, isOptional, deleteRule
        case isTransient, renamingIdentifier, versionHashModifier, userInfo
    }

    /// Writes everything that differs from an optional to-one relationship without inverse.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(destination, forKey: .destination)
        try container.encodeIfPresent(inverse, forKey: .inverse)
        try container.encode(minCount, forKey: .minCount, unless: 0)
        try container.encode(maxCount, forKey: .maxCount, unless: 1)
        try container.encode(isOrdered, forKey: .isOrdered, unless: false)
        try container.encode(isOptional, forKey: .isOptional, unless: true)
        try container.encode(deleteRule, forKey: .deleteRule, unless: .nullify)
        try container.encode(isTransient, forKey: .isTransient, unless: false)
        try container.encodeIfPresent(renamingIdentifier, forKey: .renamingIdentifier)
        try container.encodeIfPresent(versionHashModifier, forKey: .versionHashModifier)
        try container.encode(userInfo, forKey: .userInfo, unless: [:])
    }

    /// Reads what ``encode(to:)`` wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .name),
            to: try container.decode(String.self, forKey: .destination),
            inverse: try container.decodeIfPresent(String.self, forKey: .inverse),
            ordered: try container.decode(.isOrdered, default: false),
            optional: try container.decode(.isOptional, default: true),
            minCount: try container.decode(.minCount, default: 0),
            maxCount: try container.decode(.maxCount, default: 1),
            deleteRule: try container.decode(.deleteRule, default: .nullify),
            transient: try container.decode(.isTransient, default: false),
            renamingIdentifier: try container.decodeIfPresent(String.self, forKey: .renamingIdentifier),
            versionHashModifier: try container.decodeIfPresent(String.self, forKey: .versionHashModifier),
            userInfo: try container.decode(.userInfo, default: [:]))
    }
}
