import HowdahModel

/// Decides about rows in memory for a request that reads only stored attributes of the objects themselves.
///
/// Many results can then be passed over for a changed row that is read once.
struct ResultDecider: Sendable {
    /// A comparison that each object of the result satisfies, by which results are found without evaluation.
    struct Equality: Hashable, Sendable {
        let attribute: String
        let value: Value
    }

    private let predicate: PredicateTree?
    private let entities: Set<String>
    let equality: Equality?

    /// Returns nil if other rows matter, or parts of the predicate that memory reads from elsewhere.
    init?(_ request: FetchRequest<ManagedObject>, of layout: EntityLayout, _ dependencies: FetchDependencies)
    {
        guard dependencies.routes.count == 1 else { return nil }
        for path in request.predicate?.keyPaths ?? [] {
            guard let name = path.first, let slot = layout.slotsByName[name],
                case .attribute = layout.slots[slot].kind, !layout.slots[slot].columns.isEmpty
            else { return nil }
        }
        predicate = request.predicate
        entities = dependencies.routes[0].entities
        equality = request.predicate.flatMap { Self.equality($0.root, layout) }
    }

    /// Returns a function that decides about objects with values.
    func evaluator() throws -> (ManagedObject) throws -> Bool {
        let (entities, evaluator) = (entities, try predicate.map { try PredicateEvaluator($0) })
        return { object in
            guard entities.contains(object.layout.name) else { return false }
            return try evaluator?.evaluate(object) ?? true
        }
    }

    private static func equality(_ node: PredicateTree.Node, _ layout: EntityLayout) -> Equality? {
        switch node {
        case .and(let members): return members.lazy.compactMap { equality($0, layout) }.first
        case .comparison(.keyPath(let path), .equal, .constant(let value), let options, .direct)
        where options.isEmpty && path.count == 1:
            guard let slot = layout.slotsByName[path[0]],
                case .attribute(let attribute) = layout.slots[slot].kind,
                !attribute.description.isCaseInsensitive
            else { return nil }
            // Only where equal values of a predicate are equal values of Swift.
            switch (attribute.description.type.kind, value) {
            case (.integer16, .int), (.integer32, .int), (.integer64, .int), (.string, .string),
                (.uuid, .uuid),
                (.boolean, .bool):
                return Equality(attribute: path[0], value: value)
            default: return nil
            }
        default: return nil
        }
    }
}
