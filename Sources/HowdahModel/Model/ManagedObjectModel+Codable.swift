internal import Foundation

/// A model is encoded as an object with the keys `entities` and `format`. Default values are left out.
extension ManagedObjectModel: Codable {
    private enum CodingKeys: String, CodingKey {
        case entities, format, configurations, fetchRequestTemplates, versionIdentifier
    }

    private static let format = 1

    /// Encodes the entities and the format's number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.format, forKey: .format)
        try container.encode(entities, forKey: .entities)
        try container.encode(configurations, forKey: .configurations, unless: [:])
        try container.encode(fetchRequestTemplates, forKey: .fetchRequestTemplates, unless: [:])
        try container.encodeIfPresent(versionIdentifier, forKey: .versionIdentifier)
    }

    /// Decodes the output of ``encode(to:)``, and validates it.
    ///
    /// - Throws: ``ModelError`` with ``ModelError/Code/unsupportedFormat`` or
    ///   ``ModelError/Code/invalidModel``; `DecodingError` if the text is not a model.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let format = try container.decode(Int.self, forKey: .format)
        guard format == Self.format else {
            throw ModelError(
                .unsupportedFormat,
                issues: [
                    ModelIssue(
                        .invalidMapping, nil, nil,
                        "The model has format \(format), but this version of Howdah reads format "
                            + "\(Self.format). Use a newer version of Howdah."
                    )
                ])
        }
        try self.init(
            entities: container.decode([EntityDescription].self, forKey: .entities),
            configurations: container.decode(.configurations, default: [:]),
            fetchRequestTemplates: container.decode(.fetchRequestTemplates, default: [:]),
            versionIdentifier: container.decodeIfPresent(String.self, forKey: .versionIdentifier))
    }

    /// The model as JSON that is equal for equal models on every machine, and readable in a diff.
    ///
    /// Keys are sorted and defaults left out. If you decode the text, you get an equal model.
    public var canonicalJSON: String {
        do {
            return try CanonicalJSON(self).text
        } catch {
            preconditionFailure(
                "The model cannot be written as JSON: \(error). Report this as a bug of Howdah.")
        }
    }

    /// Creates a model from the text of ``canonicalJSON``, or from any JSON of the same shape.
    ///
    /// - Throws: ``ModelError``, also for a text that is not a model; its issue then names the place.
    public init(canonicalJSON: String) throws {
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(canonicalJSON.utf8))
        } catch let error as DecodingError {
            throw ModelError(error)
        }
    }
}
