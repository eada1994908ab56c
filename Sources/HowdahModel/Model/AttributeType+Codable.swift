/// A simple type is encoded as its name.
///
/// A composite is an object with the key `composite`, an array one with the key `array`.
extension AttributeType: Codable {
    private static let simple: [String: AttributeType] = [
        "undefined": .undefined, "integer16": .integer16, "integer32": .integer32, "integer64": .integer64,
        "decimal": .decimal, "double": .double, "float": .float, "string": .string, "boolean": .boolean,
        "date": .date, "binary": .binary, "uuid": .uuid, "uri": .uri, "transformable": .transformable,
    ]

    /// The names of the types that need no further description.
    package static let simpleNames = Set(simple.keys)

    private enum CodingKeys: String, CodingKey { case composite, array }

    /// The type's name in the spelling of models.
    public var name: String {
        switch kind {
        case .composite: "composite"
        case .array(let element): "array of \(element.name)"
        default: String(describing: kind)
        }
    }

    /// Encodes the type's name, the composite's description, or the array's element type.
    public func encode(to encoder: any Encoder) throws {
        if let composite {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(composite, forKey: .composite)
        } else if let element {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(element, forKey: .array)
        } else {
            var container = encoder.singleValueContainer()
            try container.encode(name)
        }
    }

    /// Decodes the output of ``encode(to:)``.
    ///
    /// - Throws: `DecodingError` if the type is unknown to this version of the library.
    public init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: CodingKeys.self) {
            if container.contains(.array) {
                self = .array(of: try container.decode(AttributeType.self, forKey: .array))
                return
            }
            self = .composite(try container.decode(CompositeDescription.self, forKey: .composite))
            return
        }
        let container = try decoder.singleValueContainer()
        let name = try container.decode(String.self)
        guard let type = Self.simple[name] else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "\"\(name)\" is not an attribute type of this version of Howdah. Use one "
                    + "of \(Self.simple.keys.sorted().joined(separator: ", ")), or a newer version of Howdah."
            )
        }
        self = type
    }
}
