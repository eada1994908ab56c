import HowdahModel

/// Finds the results that changed rows enter or may have left, from one read of the rows.
///
/// One query for each result would cost more than all else if there are hundreds of them.
struct ResultRouter: Sendable {
    /// The number of results below which each of them is evaluated instead.
    static let fewest = 4

    /// A result, and the changes of its entity.
    struct Target: Sendable {
        let result: FollowedResult
        let rows: [ChangedRows]
    }

    private let targets: [Target]

    init(_ targets: [Target]) { self.targets = targets }

    /// The changed rows that may exist; nil if they are too many to read.
    var references: [ObjectReference]? {
        var references: Set<ObjectReference> = []
        for rows in targets.flatMap(\.rows) where rows.kind != .delete {
            for key in rows.keys { references.insert(ObjectReference(key: key, entity: rows.storedEntity)) }
            if references.count > ResultChanges.capacity { return nil }
        }
        return Array(references)
    }

    /// Returns the keys of the rows that match, for each target.
    func matches(_ references: [ObjectReference], in context: ManagedObjectContext) throws -> [Set<Int64>] {
        var matches = [Set<Int64>](repeating: [], count: targets.count)
        let evaluators = try targets.map { try $0.result.request.decider?.evaluator() }
        var (others, byAttribute): ([Int], [String: [Value: [Int]]]) = ([], [:])
        for (place, target) in targets.enumerated() {
            if let equality = target.result.request.decider?.equality {
                byAttribute[equality.attribute, default: [:]][equality.value, default: []].append(place)
            } else {
                others.append(place)
            }
        }
        for object in try objects(references, in: context) {
            var candidates = others
            for (name, places) in byAttribute {
                guard let slot = object.layout.slotsByName[name] else { continue }
                candidates += places[object._value(at: slot)] ?? []
            }
            for place in candidates where try evaluators[place]?(object) ?? true {
                matches[place].insert(object.key)
            }
        }
        try context.throwFailure()
        return matches
    }

    private func objects(
        _ references: [ObjectReference], in context: ManagedObjectContext
    ) throws -> [ManagedObject] {
        let layouts = context.store.layouts
        let roots = Dictionary(grouping: references) { layouts.layout(storedName: $0.entity)?.root }
        return try roots.flatMap { root, references -> [ManagedObject] in
            guard let root else { return [] }
            var request = FetchRequest<ManagedObject>(entityName: context.layouts[root].name)
            request.predicate = PredicateTree(
                .comparison(
                    lhs: .evaluatedObject, op: .in, rhs: .collection(references.map { .reference($0) })))
            request.returnsObjectsAsFaults = false
            return try context.fetch(request)
        }
    }
}
