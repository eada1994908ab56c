import HowdahModel
import HowdahRuntime

/// Objects that a call of a mapping expression came to, for the rest of the expression to go on from.
struct MadeObjects: PredicateSubject {
    /// The key that leads to them.
    static let key = "objects"

    let objects: [ManagedObject]
    /// Whether they are taken as several, however many there are.
    let isMany: Bool

    var predicateIdentity: ObjectReference? { nil }

    func predicateOperand(forKey key: String) -> PredicateOperand? {
        guard key == Self.key else { return nil }
        return isMany || objects.count > 1 ? .many(objects) : .one(objects.first)
    }

    func predicatePlace(at path: [String]) -> PredicatePlace? {
        guard let place = objects.first?.predicatePlace(at: Array(path.dropFirst())) else { return nil }
        return PredicatePlace(
            crossesToMany: place.crossesToMany || isMany || objects.count > 1, zero: place.zero)
    }
}
