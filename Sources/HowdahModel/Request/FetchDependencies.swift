/// The objects and properties on which the result of a request depends.
///
/// It is computed from the request and the model alone. A change of a store concerns the result only if one of the
/// routes has its entity and one of its properties. Insertions and deletions concern every route of their entity.
///
/// A condition that the store adds to the request, such as a policy, is one more call of ``add(_:)``.
package struct FetchDependencies: Hashable, Sendable {
    /// The parts of a result that can depend on a property.
    package struct Uses: OptionSet, Hashable, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }

        /// The predicate reads it.
        package static let membership = Uses(rawValue: 1)
        /// A sort key or the sections read it.
        package static let order = Uses(rawValue: 2)
        /// It is prefetched, so that it is shown with the objects.
        package static let values = Uses(rawValue: 4)
    }

    /// The objects at the end of a path of relationships, and the properties that the request reads there.
    package struct Route: Hashable, Sendable {
        /// The names of the relationships from the fetched objects; empty for these themselves.
        package let path: [String]
        /// The names of the entities of the objects.
        package let entities: Set<String>
        package let crossesToMany: Bool
        /// A Boolean value that indicates whether no quantifier can name the path.
        ///
        /// It then crosses more than one to-many relationship.
        package let isNested: Bool
        /// The properties that are read, by their names in the model.
        package fileprivate(set) var properties: [String: Uses] = [:]
        /// The uses of all properties together.
        package fileprivate(set) var uses: Uses = []
        /// A Boolean value that indicates whether a change of any property counts, as the objects are shown.
        package fileprivate(set) var readsEverything = false

        /// Returns the uses of the changed properties; nil stands for unknown ones.
        package func uses(of changed: Set<String>?) -> Uses {
            guard let changed else { return readsEverything ? uses.union(.values) : uses }
            let found = changed.reduce(into: Uses()) { $0.formUnion(properties[$1] ?? []) }
            return readsEverything ? found.union(.values) : found
        }
    }

    /// The routes; the first is that of the fetched objects themselves.
    package private(set) var routes: [Route]
    private let model: ManagedObjectModel
    private let entity: String

    /// Creates the dependencies of a request without a predicate or an order.
    package init(entity: String, includesSubentities: Bool, in model: ManagedObjectModel) {
        self.model = model
        self.entity = entity
        let entities = includesSubentities ? model.descendants(of: entity).map(\.name) : [entity]
        routes = [Route(path: [], entities: Set(entities), crossesToMany: false, isNested: false)]
    }

    /// Adds the key paths of a condition.
    package mutating func add(_ condition: PredicateTree) {
        for path in condition.keyPaths { add(path, for: .membership) }
    }

    /// Adds a key path of names, which may have operators such as `@count`.
    ///
    /// A prefetched path ends in objects of which every property counts.
    package mutating func add(_ path: [String], for use: Uses) {
        // Operators do not change the objects that are reached.
        let path = path.filter { PredicateTree.KeyPathOperator(rawValue: $0) == nil }
        var (entity, crossesToMany, isNested) = (self.entity, false, false)
        for (place, name) in path.enumerated() {
            note(name, for: use, at: Array(path[..<place]))
            guard let relationship = model.property(named: name, of: entity)?.relationship else { return }
            isNested = crossesToMany && (relationship.isToMany || isNested)
            crossesToMany = crossesToMany || relationship.isToMany
            entity = relationship.destination
            let reached = Array(path[...place])
            if !routes.contains(where: { $0.path == reached }) {
                routes.append(
                    Route(
                        path: reached, entities: Set(model.descendants(of: entity).map(\.name)),
                        crossesToMany: crossesToMany, isNested: isNested))
            }
            // The row that keeps the relationship may be the one at its end.
            if let inverse = relationship.inverse { note(inverse, for: use, at: reached) }
            if use == .values, place == path.count - 1 { readEverything(at: reached) }
        }
    }

    /// Returns the dependencies without a route, for tests that prove that each one is needed.
    package func dropping(_ place: Int) -> FetchDependencies {
        var rest = self
        rest.routes.remove(at: place)
        return rest
    }

    private mutating func note(_ name: String, for use: Uses, at path: [String]) {
        guard let place = routes.firstIndex(where: { $0.path == path }) else { return }
        routes[place].properties[name, default: []].formUnion(use)
        routes[place].uses.formUnion(use)
    }

    private mutating func readEverything(at path: [String]) {
        guard let place = routes.firstIndex(where: { $0.path == path }) else { return }
        routes[place].readsEverything = true
    }
}
