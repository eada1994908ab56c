import HowdahModel

/// An operator of a key path on a whole collection.
///
/// Source: the collection operators of Core Data's key-value coding.
enum CollectionOperator: String, CaseIterable {
    case count = "@count"
    case sum = "@sum"
    case average = "@avg"
    case minimum = "@min"
    case maximum = "@max"
    case unionOfObjects = "@unionOfObjects"
    case distinctUnionOfObjects = "@distinctUnionOfObjects"
    case unionOfArrays = "@unionOfArrays"
    case distinctUnionOfArrays = "@distinctUnionOfArrays"
    case unionOfSets = "@unionOfSets"
    case distinctUnionOfSets = "@distinctUnionOfSets"

    /// A Boolean value that indicates whether it adds numbers.
    var isArithmetic: Bool { self == .sum || self == .average }

    /// A Boolean value that indicates whether it joins the collections of the members.
    var joinsCollections: Bool {
        switch self {
        case .unionOfArrays, .distinctUnionOfArrays, .unionOfSets, .distinctUnionOfSets: true
        default: false
        }
    }

    var isDistinct: Bool {
        switch self {
        case .distinctUnionOfObjects, .distinctUnionOfArrays, .unionOfSets, .distinctUnionOfSets: true
        default: false
        }
    }

    /// Returns the result for the members' values, in the form of `value(forKey:)`. Nil values are left out.
    ///
    /// - Parameter type: The attribute type of the members, if it is known.
    func result(of members: [Any?], as type: AttributeType? = nil) -> Any? {
        switch self {
        case .count: return Int64(members.count)
        case .sum: return NumberSum(members, of: type).sum
        case .average: return NumberSum(members, of: type).average
        case .minimum: return Extreme.of(members, wanted: .less)
        case .maximum: return Extreme.of(members, wanted: .greater)
        default:
            var values = members.compactMap(\.self)
            if joinsCollections { values = values.flatMap { ($0 as? [Any?])?.compactMap(\.self) ?? [$0] } }
            guard isDistinct else { return values }
            var known: Set<AnyHashable> = []
            return values.filter { known.insert(Self.identity(of: $0)).inserted }
        }
    }

    /// Returns the identity of a value: objects by reference, and plain values by equality.
    private static func identity(of value: Any) -> AnyHashable {
        switch value {
        case let object as ManagedObject: return ObjectIdentifier(object.resolved)
        case let attribute as any AttributeValue: return attribute._value
        case let members as [String: Any]: return members.mapValues(identity)
        case let elements as [Any]: return elements.map(identity)
        case let hashable as AnyHashable: return hashable
        default: return "\(value)"
        }
    }
}
