extension PropertyMapping: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, valueExpression, generatesValueExpression, userInfo
    }

    /// Reads a mapping; what is left out is as in the initializer.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .name),
            try container.decodeIfPresent(MappingExpression.self, forKey: .valueExpression),
            generatesValueExpression: try container.decodeIfPresent(
                Bool.self, forKey: .generatesValueExpression) ?? false,
            userInfo: try container.decodeIfPresent([String: String].self, forKey: .userInfo) ?? [:])
    }

    /// Writes the mapping without what is empty.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(valueExpression, forKey: .valueExpression)
        if generatesValueExpression { try container.encode(true, forKey: .generatesValueExpression) }
        if !userInfo.isEmpty { try container.encode(userInfo, forKey: .userInfo) }
    }
}
