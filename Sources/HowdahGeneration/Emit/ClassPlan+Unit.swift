internal import HowdahModel

extension ClassPlan {
    /// The class, as `@Entity` would write it.
    func unit(_ access: AccessLevel, model: String) -> SourceUnit {
        let inherits = superclass?.spelling ?? "Howdah.ManagedObject"
        var lines = [
            "/// \(entity.isAbstract ? "The abstract entity" : "The entity") \(SwiftLiteral.string(entity.name))."
        ]
        var sections: [[String]] = members.map { $0.declaration(access) }
        sections.append(contentsOf: fetched.map { $0.declaration(access) })
        sections.append(contentsOf: descriptionMembers(access, model))
        sections.append(contentsOf: keyPathMembers(access))
        sections.append(contentsOf: storageMembers(access))
        let body = Array(sections.filter { !$0.isEmpty }.joined(separator: [""]))
        // The superclass is nonisolated; a module whose default is the main actor must not make this one otherwise.
        lines += body.block(
            "nonisolated \(access.modifier)\(isFinal ? "final " : "")class \(name.spelling): \(inherits)")
        let types = members.compactMap(\.type)
        return SourceUnit(name, exposesFoundation: types.contains { $0.hasPrefix("Foundation.") }, lines)
    }

    /// The description is the model's own, so that nothing of it is lost.
    private func descriptionMembers(_ access: AccessLevel, _ model: String) -> [[String]] {
        let head = "\(access.modifier)override class var"
        return [
            ["\(head) _entityName: Swift.String { \(SwiftLiteral.string(entity.name)) }"],
            ["try? Howdah.ManagedObjectModel.\(model.spelling)[_entityName]"]
                .block("\(head) entity: Howdah.EntityDescription?"),
        ]
    }

    /// The list of key paths; in a class with subclasses as a function of the path's root, because a path of a
    /// subclass is another path.
    private func keyPathMembers(_ access: AccessLevel) -> [[String]] {
        let head = "\(access.modifier)override class var _keyPaths: [Howdah._PropertyKeyPath]"
        if isFinal { return [keyPaths(root: name.spelling, rootedAt: "\(name.spelling).self").block(head)] }
        return [
            keyPaths(root: "Root", rootedAt: "root").block(
                "\(access.modifier)static func _keyPaths<Root: \(name.spelling)>("
                    + "of type: \(name.token).Type, rootedAt root: Root.Type) -> [Howdah._PropertyKeyPath]"),
            ["\(head) { _keyPaths(of: \(name.token).self, rootedAt: \(name.spelling).self) }"],
        ]
    }

    private func keyPaths(root: String, rootedAt: String) -> [String] {
        let own = members.flatMap { $0.keyPath(root: root) }
        let inherited =
            superclass.map {
                "\($0.spelling)._keyPaths(of: \($0.token).self, rootedAt: \(rootedAt))"
            } ?? "[]"
        if own.isEmpty { return ["return \(inherited)"] }
        return ["var list: [Howdah._PropertyKeyPath] = \(inherited)"] + own.map { "list.append(\($0))" } + [
            "return list"
        ]
    }
}

extension String {
    /// The type that stands for a class of this name alone, and not for one of its superclasses.
    var token: String { "Howdah._Emitted.Of<\(spelling)>" }
}

extension FetchedPlan {
    /// Returns the lines that declare the property, which is computed.
    func declaration(_ access: AccessLevel) -> [String] {
        let type = destination.contains(".") ? destination : destination.spelling
        let notes = [
            "/// The objects of the fetched property \(SwiftLiteral.string(key)), kept until the object is refreshed."
        ]
        return notes
            + ["fetchedObjects(forKey: \(SwiftLiteral.string(key)))"]
            .block("\(access.modifier)var \(name.spelling): [\(type)]")
    }
}
