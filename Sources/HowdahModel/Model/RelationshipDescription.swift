/// A relationship of an entity.
///
/// Source: Core Data's `NSRelationshipDescription`.
public struct RelationshipDescription: Hashable, Sendable {
    /// The name, unique within its entity and superentities.
    public var name: String
    /// The name of the destination entity.
    public var destination: String
    /// The name of the destination's relationship that refers back; nil for none.
    public var inverse: String?
    /// The smallest number of destinations; 0 means no minimum.
    ///
    /// See ``isOptional`` for a to-many relationship without members.
    public var minCount: Int
    /// The largest number of destinations; 1 makes a to-one relationship, 0 means unbounded.
    public var maxCount: Int
    /// A Boolean value that indicates whether a to-many relationship keeps its destinations in order.
    public var isOrdered: Bool
    /// A Boolean value that indicates whether the relationship may have no destination when you save its
    /// object.
    ///
    /// A to-many relationship without ``minCount`` may always be empty. With one, an optional relationship
    /// has no members or at least that many. By default, a relationship is optional if it has no minimum
    /// count.
    ///
    /// Source: Core Data's `isOptional` and `minCount`.
    public var isOptional: Bool {
        get { optionality ?? !(isToMany && minCount > 0) }
        set { optionality = newValue }
    }
    /// The optionality that the model states; nil for the default.
    private var optionality: Bool?
    /// The effect on the destinations if the owner is deleted.
    public var deleteRule: DeleteRule
    /// A Boolean value that indicates whether the relationship lives in memory only and has no column.
    public var isTransient: Bool
    /// The relationship's name in an earlier version of the model.
    public var renamingIdentifier: String?
    /// A text that distinguishes this version of the relationship from an otherwise equal one.
    public var versionHashModifier: String?
    /// Annotations; ``MappingKey`` has the keys for the mapping.
    public var userInfo: [String: String]

    /// Creates a relationship.
    ///
    /// If you set `toMany` and no ``maxCount``, the maximum is unbounded. For `optional`, see ``isOptional``.
    public init(
        _ name: String, to destination: String, inverse: String? = nil, toMany: Bool = false,
        ordered: Bool = false, optional: Bool? = nil, minCount: Int = 0, maxCount: Int? = nil,
        deleteRule: DeleteRule = .nullify, transient: Bool = false, renamingIdentifier: String? = nil,
        versionHashModifier: String? = nil, userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.destination = destination
        self.inverse = inverse
        self.minCount = minCount
        self.maxCount = maxCount ?? (toMany ? 0 : 1)
        self.isOrdered = ordered
        optionality = optional
        self.deleteRule = deleteRule
        self.isTransient = transient
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
    }

    /// A Boolean value that indicates whether the relationship can have more than one destination.
    public var isToMany: Bool { maxCount != 1 }

    /// The optionality that JSON states; nil for the default.
    ///
    /// A minimum count without a stated optionality is kept distinct from one that is not optional, though
    /// both mean the same. Models of both kinds have checksums.
    private var statedOptionality: Bool? {
        isToMany && minCount > 0 ? optionality : isOptional ? nil : false
    }

    /// The relationship as libraries before 0.2 described it: its minimum count applies even if it is empty.
    var withoutOptionalMinimum: Self {
        var result = self
        if isToMany, minCount > 0, isOptional { result.optionality = nil }
        return result
    }

    /// Compares the descriptions; a stated default equals one that is not stated.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.name == rhs.name && lhs.destination == rhs.destination && lhs.inverse == rhs.inverse
            && lhs.minCount == rhs.minCount && lhs.maxCount == rhs.maxCount && lhs.isOrdered == rhs.isOrdered
            && lhs.statedOptionality == rhs.statedOptionality && lhs.deleteRule == rhs.deleteRule
            && lhs.isTransient == rhs.isTransient && lhs.renamingIdentifier == rhs.renamingIdentifier
            && lhs.versionHashModifier == rhs.versionHashModifier && lhs.userInfo == rhs.userInfo
    }

    /// Hashes the name, the destination and the counts, which usually differ.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(destination)
        hasher.combine(minCount)
        hasher.combine(maxCount)
    }
}

/// Default values are left out, so that model files stay short and their differences readable.
extension RelationshipDescription: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, destination, inverse, minCount, maxCount, isOrdered, isOptional, deleteRule
        case isTransient, renamingIdentifier, versionHashModifier, userInfo
    }

    /// Encodes all values that differ from an optional to-one relationship without inverse.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(destination, forKey: .destination)
        try container.encodeIfPresent(inverse, forKey: .inverse)
        try container.encode(minCount, forKey: .minCount, unless: 0)
        try container.encode(maxCount, forKey: .maxCount, unless: 1)
        try container.encode(isOrdered, forKey: .isOrdered, unless: false)
        try container.encodeIfPresent(statedOptionality, forKey: .isOptional)
        try container.encode(deleteRule, forKey: .deleteRule, unless: .nullify)
        try container.encode(isTransient, forKey: .isTransient, unless: false)
        try container.encodeIfPresent(renamingIdentifier, forKey: .renamingIdentifier)
        try container.encodeIfPresent(versionHashModifier, forKey: .versionHashModifier)
        try container.encode(userInfo, forKey: .userInfo, unless: [:])
    }

    /// Decodes the output of ``encode(to:)``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .name),
            to: try container.decode(String.self, forKey: .destination),
            inverse: try container.decodeIfPresent(String.self, forKey: .inverse),
            ordered: try container.decode(.isOrdered, default: false),
            optional: try container.decodeIfPresent(Bool.self, forKey: .isOptional),
            minCount: try container.decode(.minCount, default: 0),
            maxCount: try container.decode(.maxCount, default: 1),
            deleteRule: try container.decode(.deleteRule, default: .nullify),
            transient: try container.decode(.isTransient, default: false),
            renamingIdentifier: try container.decodeIfPresent(String.self, forKey: .renamingIdentifier),
            versionHashModifier: try container.decodeIfPresent(String.self, forKey: .versionHashModifier),
            userInfo: try container.decode(.userInfo, default: [:]))
    }
}
