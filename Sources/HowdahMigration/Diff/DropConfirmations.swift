package import HowdahModel

/// The names that confirm drops, compared with the versions of the model between which a store migrates.
package struct DropConfirmations {
    /// The names that no version has, each with the name that was probably meant.
    package let unknown: [(name: String, nearest: String?)]
    /// The names that confirm nothing.
    package let unneeded: [String]
    /// The number of versions that have been searched for the names.
    package let versionCount: Int

    /// - Parameters:
    ///   - models: The versions in the order in which a store passes through them.
    ///   - places: The drops of stages with a mapping.
    ///   - isDone: Indicates that the store has the last version already. All names are unneeded then, and none is
    ///     unknown, because you may repeat a migration with the names of dropped properties.
    package init(
        _ names: some Sequence<String>, along models: [ManagedObjectModel], and places: Set<String> = [],
        isDone: Bool = false
    ) {
        let known = Set(models.flatMap(\.confirmableNames))
        let dropped = Self.dropped(along: models).union(places)
        let given = Set(names).sorted()
        let strange = given.filter { !known.contains($0) }
        versionCount = models.count
        unknown = (isDone ? [] : strange).map { name in
            let candidates = known.sorted()
            let owner = models.lazy.compactMap { $0.owner(ofInherited: name) }.first
            return (name, owner ?? NearestName.of(name, among: candidates))
        }
        unneeded = given.filter { known.contains($0) && !dropped.contains($0) } + (isDone ? strange : [])
    }

    /// What goes from each version to the next, and what stands in the way of inference until it is confirmed.
    private static func dropped(along models: [ManagedObjectModel]) -> Set<String> {
        zip(models, models.dropFirst()).reduce(into: []) { names, pair in
            let difference = ModelDifference(from: pair.0, to: pair.1)
            for change in difference.changes where change.kind == .removed {
                names.insert(change.place)
            }
            for loss in ModelLoss.all(from: pair.0, to: pair.1) {
                names.formUnion([loss.place] + loss.relatives)
            }
            names.formUnion(difference.refusals.map(\.confirmation))
        }
    }

    /// What stands for all of these names together, as a few letters that nobody types by accident: of another list it is
    /// another one.
    package static func token(of names: some Sequence<String>) -> String {
        // FNV-1a: nobody is kept out by it.
        let hash = Set(names).sorted().joined(separator: "\n").utf8.reduce(UInt32(2_166_136_261)) {
            ($0 ^ UInt32($1)) &* 16_777_619
        }
        let text = String(hash, radix: 16)
        return String(repeating: "0", count: 8 - text.count) + text
    }
}

extension ManagedObjectModel {
    /// Entities, their own properties, and elements of composites by dotted path.
    fileprivate var confirmableNames: [String] {
        entities.flatMap { entity in
            [entity.name]
                + entity.properties.flatMap { property in
                    ["\(entity.name).\(property.name)"]
                        + Self.elements(of: property.attribute, at: "\(entity.name).\(property.name)")
                }
        }
    }

    private static func elements(of attribute: AttributeDescription?, at path: String) -> [String] {
        (attribute?.type.composite?.elements ?? []).flatMap { element in
            ["\(path).\(element.name)"] + elements(of: element, at: "\(path).\(element.name)")
        }
    }

    /// The name of a property where it is declared, given that by which a subentity has it.
    fileprivate func owner(ofInherited name: String) -> String? {
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2, let owner = declaration(of: parts[1], in: parts[0])?.entity.name else {
            return nil
        }
        return "\(owner).\(parts[1])"
    }
}
