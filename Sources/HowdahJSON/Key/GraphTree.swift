import HowdahModel
import HowdahRuntime

/// Key paths as one tree: the requested properties of the objects at each step.
struct GraphTree {
    private(set) var attributes: Set<String> = []
    private(set) var children: [String: GraphTree] = [:]
    /// A Boolean value that indicates whether all stored attributes are requested.
    private(set) var hasAll = false
    /// A Boolean value that indicates whether objects of subentities may be named; for imports only.
    private(set) var hasEntities = false

    private let isForImport: Bool

    /// The step that permits objects to name their entity, and the name of that member.
    static let entityName = "@entity"

    /// A Boolean value that indicates whether no property is requested, so that a reference suffices.
    var isEmpty: Bool { !hasAll && attributes.isEmpty && children.isEmpty }

    /// - Parameters:
    ///   - layout: The entity at which the key paths begin.
    ///   - isForImport: Indicates whether `@entity` is a step.
    /// - Throws: `GraphError.invalidKeyPath` for a step that no class of the family has. In an import also
    ///   for an attribute that is transient or derived.
    init(
        _ keyPaths: [String], _ layout: EntityLayout, _ layouts: [EntityLayout], isForImport: Bool = false
    ) throws(GraphError) {
        self.isForImport = isForImport
        for path in keyPaths {
            let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            try add(names[...], path, layout, layouts)
        }
    }

    /// Creates an empty tree.
    init(isForImport: Bool = false) { self.isForImport = isForImport }

    /// Returns a Boolean value that indicates whether a property is named, by itself or as one of all
    /// attributes.
    func names(_ property: String, isAttribute: Bool) -> Bool {
        isAttribute ? hasAll || attributes.contains(property) : children[property] != nil
    }

    private mutating func add(
        _ names: ArraySlice<String>, _ path: String, _ layout: EntityLayout, _ layouts: [EntityLayout]
    ) throws(GraphError) {
        guard let name = names.first else { return }
        let rest = names.dropFirst()
        if name == "*", rest.isEmpty {
            hasAll = true
            return
        }
        if isForImport, name == Self.entityName, rest.isEmpty {
            hasEntities = true
            return
        }
        for place in layout.family {
            guard let slot = layouts[place].slotsByName[name] else { continue }
            if let relationship = layouts[place].slots[slot].relationship {
                var child = children[name] ?? GraphTree(isForImport: isForImport)
                try child.add(rest, path, layouts[relationship.destination], layouts)
                children[name] = child
            } else {
                guard rest.isEmpty else {
                    throw GraphError(
                        .invalidKeyPath,
                        "'\(path)' continues after the attribute \(name). Key paths cannot name parts of an attribute, such as elements of a composite. End the key path at \(name).",
                        entity: layout, property: name)
                }
                if isForImport, !layout.family.contains(where: { layouts[$0].takes(name) }) {
                    throw GraphError(
                        .invalidKeyPath,
                        "'\(path)' names a derived or transient attribute, which an import cannot write. With the key path "
                            + "'*', the import ignores derived attributes in a document. Remove '\(path)'.",
                        entity: layout, property: name)
                }
                attributes.insert(name)
            }
            return
        }
        let names = layout.family.flatMap { layouts[$0].slots.map(\.name) }
        let hint = NearestName.of(name, among: names).map { "Did you mean \($0)?" } ?? "Correct the key path."
        throw GraphError(
            .invalidKeyPath, "'\(path)' names no property of the model. \(hint)", entity: layout,
            property: name)
    }
}

extension EntityLayout {
    /// Returns a Boolean value that indicates whether an import writes this attribute: it is stored, and not
    /// derived.
    fileprivate func takes(_ name: String) -> Bool {
        guard let slot = slotsByName[name], let attribute = attribute(slot) else { return false }
        return !attribute.isDerived && !slots[slot].columns.isEmpty
    }
}
