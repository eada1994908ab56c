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
