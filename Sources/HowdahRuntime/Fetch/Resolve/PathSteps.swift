import HowdahModel

/// The objects on a request's key paths, step by step, and the properties that are read there.
struct PathSteps {
    /// The objects at the end of a key path's beginning.
    struct Step {
        let path: [String]
        let entity: Int
        let crossesToMany: Bool
        /// A Boolean value that indicates whether no quantifier can name the path.
        ///
        /// It then crosses more than one to-many relationship, to count members.
        let isNested: Bool
        /// The properties that are read from them.
        var names: Set<String> = []
    }

    /// The properties that are read from the object itself.
    private(set) var ownNames: Set<String> = []
    private(set) var beyondSelf: [Step] = []

    var crossesRelationships: Bool { !beyondSelf.isEmpty }

    init<Object>(_ request: FetchRequest<Object>, of layout: EntityLayout, layouts: [EntityLayout]) {
        var paths = request.sortDescriptors.map { $0.keyPath.split(separator: ".").map(String.init) }
        if let predicate = request.predicate { paths += predicate.keyPaths }
        for path in paths {
            // Whatever is asked of members, they are reached by the same steps.
            let names = path.filter { PredicateTree.KeyPathOperator(rawValue: $0) == nil }
            follow(names, from: layout, layouts)
        }
    }

    private mutating func follow(_ path: [String], from start: EntityLayout, _ layouts: [EntityLayout]) {
        var layout = start
        var crossesToMany = false
        var wasNested = false
        for (place, name) in path.enumerated() {
            note(name, at: Array(path[..<place]))
            guard let slot = layout.slotsByName[name], let relationship = layout.slots[slot].relationship
            else { return }
            layout = layouts[relationship.destination]
            let isNested = crossesToMany && (relationship.isToMany || wasNested)
            wasNested = isNested
            if relationship.isToMany { crossesToMany = true }
            let prefix = Array(path[...place])
            if !beyondSelf.contains(where: { $0.path == prefix }) {
                beyondSelf.append(
                    Step(
                        path: prefix, entity: relationship.destination, crossesToMany: crossesToMany,
                        isNested: isNested))
            }
            // Who is at the end of the step may be decided there.
            if let inverse = relationship.inverse { note(layout.slots[inverse].name, at: prefix) }
        }
    }

    private mutating func note(_ name: String, at path: [String]) {
        if path.isEmpty {
            ownNames.insert(name)
        } else if let place = beyondSelf.firstIndex(where: { $0.path == path }) {
            beyondSelf[place].names.insert(name)
        }
    }
}
