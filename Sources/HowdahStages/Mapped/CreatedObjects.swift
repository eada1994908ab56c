import HowdahModel
import HowdahRuntime

/// The resulting objects of a call in a mapping expression, as the base of the rest of the expression.
struct CreatedObjects: PredicateSubject {
    /// The key of the objects.
    static let key = "objects"

    let objects: [ManagedObject]
    /// A Boolean value that indicates whether they count as several, for any number of them.
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
