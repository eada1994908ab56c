/// Default values are left out, so that model files stay short and their differences readable.
extension AttributeDescription: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, type, isOptional, defaultValue, isTransient, renamingIdentifier, versionHashModifier
        case userInfo, minimum, maximum, minimumLength, maximumLength, regex, valueTransformerName
        case allowsExternalBinaryDataStorage, valueClassName, derivationExpression, allowedValues
        case preservesValueInHistoryOnDeletion
    }

    /// Encodes all values that differ from an optional attribute without rules.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(type, forKey: .type)
        try container.encode(isOptional, forKey: .isOptional, unless: true)
        try container.encodeIfPresent(defaultValue, forKey: .defaultValue)
        try container.encode(isTransient, forKey: .isTransient, unless: false)
        try container.encodeIfPresent(renamingIdentifier, forKey: .renamingIdentifier)
        try container.encodeIfPresent(versionHashModifier, forKey: .versionHashModifier)
        try container.encode(userInfo, forKey: .userInfo, unless: [:])
        try container.encodeIfPresent(minimum, forKey: .minimum)
        try container.encodeIfPresent(maximum, forKey: .maximum)
        try container.encodeIfPresent(minimumLength, forKey: .minimumLength)
        try container.encodeIfPresent(maximumLength, forKey: .maximumLength)
        try container.encodeIfPresent(regex, forKey: .regex)
        try container.encodeIfPresent(valueTransformerName, forKey: .valueTransformerName)
        try container.encode(
            allowsExternalBinaryDataStorage, forKey: .allowsExternalBinaryDataStorage, unless: false)
        try container.encodeIfPresent(valueClassName, forKey: .valueClassName)
        try container.encodeIfPresent(derivationExpression, forKey: .derivationExpression)
        try container.encode(allowedValues, forKey: .allowedValues, unless: [])
        try container.encode(
            preservesValueInHistoryOnDeletion, forKey: .preservesValueInHistoryOnDeletion, unless: false)
    }

    /// Decodes the output of ``encode(to:)``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .name),
            try container.decode(AttributeType.self, forKey: .type),
            optional: try container.decode(.isOptional, default: true),
            transient: try container.decode(.isTransient, default: false),
            minimumLength: try container.decodeIfPresent(Int.self, forKey: .minimumLength),
            maximumLength: try container.decodeIfPresent(Int.self, forKey: .maximumLength),
            regex: try container.decodeIfPresent(String.self, forKey: .regex),
            renamingIdentifier: try container.decodeIfPresent(String.self, forKey: .renamingIdentifier),
            versionHashModifier: try container.decodeIfPresent(String.self, forKey: .versionHashModifier),
            valueTransformerName: try container.decodeIfPresent(String.self, forKey: .valueTransformerName),
            allowsExternalBinaryDataStorage: try container.decode(
                .allowsExternalBinaryDataStorage, default: false),
            valueClassName: try container.decodeIfPresent(String.self, forKey: .valueClassName),
            derivation: try container.decodeIfPresent(String.self, forKey: .derivationExpression),
            preservesValueInHistoryOnDeletion: try container.decode(
                .preservesValueInHistoryOnDeletion, default: false),
            userInfo: try container.decode(.userInfo, default: [:]))
        // Set afterwards: what was written has its type already and must not be converted again.
        defaultValue = try container.decodeIfPresent(Value.self, forKey: .defaultValue)
        minimum = try container.decodeIfPresent(Value.self, forKey: .minimum)
        maximum = try container.decodeIfPresent(Value.self, forKey: .maximum)
        allowedValues = try container.decode(.allowedValues, default: [])
    }
}

extension KeyedEncodingContainer {
    mutating func encode<T: Encodable & Equatable>(_ value: T, forKey key: Key, unless standard: T) throws {
        if value != standard { try encode(value, forKey: key) }
    }
}

extension KeyedDecodingContainer {
    func decode<T: Decodable>(_ key: Key, default standard: T) throws -> T {
        try decodeIfPresent(T.self, forKey: key) ?? standard
    }
}
