/// A property of an entity: an attribute or a relationship.
///
/// Source: Core Data's `NSPropertyDescription`; its subclasses are the kinds here.
public struct PropertyDescription: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case attribute(AttributeDescription)
        case relationship(RelationshipDescription)
    }

    package let kind: Kind

    private init(_ kind: Kind) { self.kind = kind }

    /// Returns the property of an attribute description.
    public static func attribute(_ description: AttributeDescription) -> Self {
        Self(.attribute(description))
    }

    /// Returns the property of a relationship description.
    public static func relationship(_ description: RelationshipDescription) -> Self {
        Self(.relationship(description))
    }

    /// Returns a new attribute; see ``AttributeDescription``.
    public static func attribute(
        _ name: String, _ type: AttributeType, optional: Bool = true, default defaultValue: Value? = nil,
        transient: Bool = false, caseInsensitive: Bool = false, minimum: Value? = nil, maximum: Value? = nil,
        minimumLength: Int? = nil,
        maximumLength: Int? = nil, regex: String? = nil, renamingIdentifier: String? = nil,
        versionHashModifier: String? = nil, valueTransformerName: String? = nil,
        allowsExternalBinaryDataStorage: Bool = false, valueClassName: String? = nil,
        derivation: String? = nil, allowedValues: [Value] = [],
        preservesValueInHistoryOnDeletion: Bool = false, userInfo: [String: String] = [:]
    ) -> Self {
        .attribute(
            AttributeDescription(
                name, type, optional: optional, default: defaultValue, transient: transient,
                caseInsensitive: caseInsensitive, minimum: minimum,
                maximum: maximum, minimumLength: minimumLength, maximumLength: maximumLength, regex: regex,
                renamingIdentifier: renamingIdentifier, versionHashModifier: versionHashModifier,
                valueTransformerName: valueTransformerName,
                allowsExternalBinaryDataStorage: allowsExternalBinaryDataStorage,
                valueClassName: valueClassName, derivation: derivation, allowedValues: allowedValues,
                preservesValueInHistoryOnDeletion: preservesValueInHistoryOnDeletion, userInfo: userInfo))
    }

    /// Returns a new relationship; see ``RelationshipDescription``.
    public static func relationship(
        _ name: String, to destination: String, inverse: String? = nil, toMany: Bool = false,
        ordered: Bool = false, optional: Bool? = nil, minCount: Int = 0, maxCount: Int? = nil,
        deleteRule: DeleteRule = .nullify, transient: Bool = false, renamingIdentifier: String? = nil,
        versionHashModifier: String? = nil, userInfo: [String: String] = [:]
    ) -> Self {
        .relationship(
            RelationshipDescription(
                name, to: destination, inverse: inverse, toMany: toMany, ordered: ordered, optional: optional,
                minCount: minCount, maxCount: maxCount, deleteRule: deleteRule, transient: transient,
                renamingIdentifier: renamingIdentifier, versionHashModifier: versionHashModifier,
                userInfo: userInfo))
    }

    /// The property's name.
    public var name: String {
        switch kind {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        }
    }

    /// The attribute, if it is one.
    public var attribute: AttributeDescription? {
        if case .attribute(let attribute) = kind { attribute } else { nil }
    }

    /// The relationship, if it is one.
    public var relationship: RelationshipDescription? {
        if case .relationship(let relationship) = kind { relationship } else { nil }
    }

    /// The property's name in an earlier version of the model.
    public var renamingIdentifier: String? {
        switch kind {
        case .attribute(let attribute): attribute.renamingIdentifier
        case .relationship(let relationship): relationship.renamingIdentifier
        }
    }

    /// Annotations; ``MappingKey`` has the keys for the mapping.
    public var userInfo: [String: String] {
        switch kind {
        case .attribute(let attribute): attribute.userInfo
        case .relationship(let relationship): relationship.userInfo
        }
    }
}

/// A property is encoded as an object with one key, `attribute` or `relationship`.
extension PropertyDescription: Codable {
    private enum CodingKeys: String, CodingKey { case attribute, relationship }

    /// Encodes the description under the key of its kind.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch kind {
        case .attribute(let attribute): try container.encode(attribute, forKey: .attribute)
        case .relationship(let relationship): try container.encode(relationship, forKey: .relationship)
        }
    }

    /// Decodes the output of ``encode(to:)``.
    ///
    /// - Throws: `DecodingError` if this version of the library does not know the kind of property.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let attribute = try container.decodeIfPresent(AttributeDescription.self, forKey: .attribute) {
            self = .attribute(attribute)
        } else {
            self = .relationship(try container.decode(RelationshipDescription.self, forKey: .relationship))
        }
    }
}
