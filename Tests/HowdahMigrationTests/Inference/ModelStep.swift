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
