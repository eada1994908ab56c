import HowdahModel
import Testing

/// A small change of a model that must be inferred.
struct ModelStep: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let old: @Sendable () -> [EntityDescription]
    let new: @Sendable () -> [EntityDescription]

    init(
        _ name: String, _ old: @autoclosure @escaping @Sendable () -> [EntityDescription],
        _ new: @autoclosure @escaping @Sendable () -> [EntityDescription]
    ) {
        testDescription = name
        self.old = old
        self.new = new
    }

    /// Indicates whether a store can tell the two versions apart; renaming identifiers alone are no part of the checksum.
    var isVisible: Bool {
        let models = [old(), new()].map { try? ManagedObjectModel(entities: $0).versionChecksum }
        return models[0] != models[1]
    }
}

/// An entity in one line.
func entity(
    _ name: String, _ properties: [PropertyDescription] = [], abstract: Bool = false,
    super superentity: String? = nil,
    was identifier: String? = nil, unique: [[String]] = [], indexes: [FetchIndexDescription] = []
) -> EntityDescription {
    EntityDescription(
        name, abstract: abstract, superentity: superentity, properties: properties,
        uniquenessConstraints: unique, fetchIndexes: indexes, renamingIdentifier: identifier)
}
