extension EntityDeclaration {
    /// The list of key paths; in a class that may have subclasses also as a function of the path's root, because
    /// a path of a subclass is another path.
    var keyPathMembers: [String] {
        func inherited(_ root: String) -> String? {
            superentity == nil
                ? nil
                : "\(superclassSpelling)._keyPaths(of: Howdah._Emitted.Of<\(superclassSpelling)>.self, rootedAt: \(root))"
        }
        let head = "nonisolated \(overrideAccess)override class var _keyPaths: [Howdah._PropertyKeyPath] {"
        if isFinal {
            return [
                head
                    + Self.block(
                        lines(root: className, inherited("\(className).self"))) + "}"
            ]
        }
        return [
            "nonisolated \(access)static func _keyPaths<Root: \(className)>("
                + "of type: Howdah._Emitted.Of<\(className)>.Type, rootedAt root: Root.Type) -> [Howdah._PropertyKeyPath] {"
                + Self.block(lines(root: "Root", inherited("root"))) + "}",
            head
                + " _keyPaths(of: Howdah._Emitted.Of<\(className)>.self, rootedAt: \(className).self) }",
        ]
    }

    private func lines(root: String, _ inherited: String?) -> [String] {
        var lines = ["var list: [Howdah._PropertyKeyPath] = \(inherited ?? "[]")"]
        lines += members.map { Self.append($0.property, root: root) }
        if !visiblyReadOnly.isEmpty {
            lines.append("list += _readOnlyKeyPathsOf\(className)(rootedAt: \(root).self)")
        }
        if members.isEmpty {
            lines[0].replaceSubrange(
                lines[0].startIndex..<lines[0].index(lines[0].startIndex, offsetBy: 3), with: "let")
        }
        return lines + ["return list"]
    }

    private static func append(_ property: PropertyDeclaration, root: String) -> String {
        "list.append(Howdah._PropertyKeyPath(\\\(root).\(property.spelling), \"\(property.name)\"))"
    }

    /// Properties whose path is another one where the setter is out of sight.
    private var visiblyReadOnly: [PropertyMember] {
        members.filter(\.property.hasPrivateSetter)
    }

    /// The paths as code outside of the class forms them; a declaration beside the class, for only there they are.
    func peer(isNested: Bool) -> String? {
        guard !visiblyReadOnly.isEmpty else { return nil }
        let lines =
            ["var list: [Howdah._PropertyKeyPath] = []"]
            + visiblyReadOnly.map { Self.append($0.property, root: "Root") } + ["return list"]
        return
            "nonisolated fileprivate \(isNested ? "static " : "")func _readOnlyKeyPathsOf\(className)<Root: \(className)>"
            + "(rootedAt root: Root.Type) -> [Howdah._PropertyKeyPath] {" + Self.block(lines) + "}"
    }
}
