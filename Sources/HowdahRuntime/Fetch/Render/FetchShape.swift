import HowdahModel

/// All of a fetch that its SQL depends on, apart from the values that its predicate compares with.
///
/// Only fetches of objects have one whose predicate is a comparison of a key path with a value, or several of them.
struct FetchShape {
    /// The word between several comparisons.
    enum Junction { case one, all, any }

    struct Comparison: Equatable {
        /// The names from the object; none for the object itself.
        let path: [String]
        let op: PredicateTree.Operator
    }

    struct Order: Equatable {
        let keyPath: String
        let isAscending: Bool
        let locale: String?
    }

    let entity: Int
    let includesSubentities: Bool
    let hasLimit: Bool
    let hasOffset: Bool
    /// The relationships that are joined.
    let joined: [Int]
    let comment: String
    let order: [Order]
    let junction: Junction
    let comparisons: [Comparison]

    /// - Parameter values: The values of the comparisons, in their order.
    init?<Object>(
        _ request: FetchRequest<Object>, of layout: EntityLayout, joining joined: [Int],
        _ values: inout [Value]
    ) {
        guard let node = request.predicate?.root, request.search == nil, request.rowLock == nil,
            request.includesPropertyValues, request.fetchBatchSize == 0, request.propertiesToFetch.isEmpty,
            let (junction, comparisons) = Self.comparisons(node, &values)
        else { return nil }
        entity = layout.index
        includesSubentities = request.includesSubentities
        (hasLimit, hasOffset) = (request.fetchLimit > 0, request.fetchOffset > 0)
        self.joined = joined
        comment = request.comment
        var order: [Order] = []
        for key in request.sortDescriptors {
            if key.complaint != nil { return nil }
            order.append(Order(keyPath: key.keyPath, isAscending: key.isAscending, locale: key.locale))
        }
        self.order = order
        self.junction = junction
        self.comparisons = comparisons
    }

    private static func comparisons(
        _ node: PredicateTree.Node, _ values: inout [Value]
    ) -> (Junction, [Comparison])? {
        let (junction, members): (Junction, [PredicateTree.Node]) =
            switch node {
            case .and(let members): (.all, members)
            case .or(let members): (.any, members)
            default: (.one, [node])
            }
        var comparisons: [Comparison] = []
        comparisons.reserveCapacity(members.count)
        for member in members {
            guard case .comparison(let lhs, let op, .constant(let value), let options, .direct) = member,
                options.isEmpty, op.isOfValues, value.isOneParameter
            else { return nil }
            switch lhs {
            case .keyPath(let path): comparisons.append(Comparison(path: path, op: op))
            case .evaluatedObject: comparisons.append(Comparison(path: [], op: op))
            default: return nil
            }
            values.append(value)
        }
        return (junction, comparisons)
    }
}

extension FetchShape: Hashable {
    /// Hashes what differs between most shapes: names, but not all of them, and no operators.
    func hash(into hasher: inout Hasher) {
        hasher.combine(entity)
        hasher.combine(comparisons.count)
        hasher.combine(order.count)
        hasher.combine(hasLimit)
        for comparison in comparisons { if let name = comparison.path.last { hasher.combine(name) } }
        if let first = order.first { hasher.combine(first.keyPath) }
        hasher.combine(comment)
    }
}

extension Value {
    /// A Boolean value that indicates whether a comparison makes it one parameter at most.
    fileprivate var isOneParameter: Bool {
        switch self {
        case .null, .composite, .array: false
        default: true
        }
    }
}

extension PredicateTree.Operator {
    /// A Boolean value that indicates whether it compares two values by equality or order.
    fileprivate var isOfValues: Bool {
        switch self {
        case .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual: true
        default: false
        }
    }
}
