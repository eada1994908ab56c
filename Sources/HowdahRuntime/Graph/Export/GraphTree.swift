import HowdahModel

/// Key paths as one tree: what is asked for of the objects at each step.
struct GraphTree {
    private(set) var attributes: Set<String> = []
    private(set) var children: [String: GraphTree] = [:]
    /// Whether all stored attributes are asked for.
    private(set) var hasAll = false

    /// Whether nothing is asked for, so that a reference will do.
    var isEmpty: Bool { !hasAll && attributes.isEmpty && children.isEmpty }

    /// - Parameter layout: where the key paths begin.
    /// - Throws: `GraphError.invalidKeyPath` for a step that no class of the family has.
    init(_ keyPaths: [String], _ layout: EntityLayout, _ layouts: [EntityLayout]) throws(GraphError) {
        for path in keyPaths {
            let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            try add(names[...], path, layout, layouts)
        }
    }

    /// Nothing.
    init() {}

    private mutating func add(
        _ names: ArraySlice<String>, _ path: String, _ layout: EntityLayout, _ layouts: [EntityLayout]
    ) throws(GraphError) {
        guard let name = names.first else { return }
        let rest = names.dropFirst()
        if name == "*", rest.isEmpty {
            hasAll = true
            return
        }
        for place in layout.family {
            guard let slot = layouts[place].slotsByName[name] else { continue }
            if let relationship = layouts[place].slots[slot].relationship {
                var child = children[name] ?? GraphTree()
                try child.add(rest, path, layouts[relationship.destination], layouts)
                children[name] = child
            } else {
                guard rest.isEmpty else {
                    throw GraphError(
                        .invalidKeyPath, "'\(path)' goes on behind an attribute; composites are taken whole",
                        entity: layout, property: name)
                }
                attributes.insert(name)
            }
            return
        }
        let names = layout.family.flatMap { layouts[$0].slots.map(\.name) }
        let hint = NearestName.of(name, among: names).map { "; did you mean \($0)?" } ?? ""
        throw GraphError(
            .invalidKeyPath, "'\(path)' names no property of the model\(hint)", entity: layout,
            property: name)
    }
}
