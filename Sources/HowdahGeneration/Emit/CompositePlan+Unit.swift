internal import HowdahModel

extension CompositePlan {
    /// The struct, as `@Composite` would write it, with an initializer that others see too.
    func unit(_ access: AccessLevel) -> SourceUnit {
        var sections: [[String]] = members.map { member in
            guard let type = member.type else { return member.declaration(access) }
            return member.notes + ["\(access.modifier)var \(member.spelling): \(type)"]
        }
        sections += [memberwise(access), describing(access), keyPaths(access), columnCount(access)]
        sections += [zero(access), fromRow(access), fromElements(access), elements(access)]
        let body = Array(sections.joined(separator: [""]))
        let lines =
            ["/// The composite type \(SwiftLiteral.string(description.name))."]
            + body.block("nonisolated \(access.modifier)struct \(name.spelling): Howdah.CompositeValue")
        let types = members.compactMap(\.type)
        return SourceUnit(name, exposesFoundation: types.contains { $0.hasPrefix("Foundation.") }, lines)
    }

    private var typed: [(member: MemberPlan, type: String)] {
        members.compactMap { member in member.type.map { (member, $0) } }
    }

    private func memberwise(_ access: AccessLevel) -> [String] {
        let parameters = typed.map { member, type in
            let value = member.attribute?.defaultValue
            let standard =
                value.map(SwiftLiteral.typed) ?? (member.attribute?.isOptional ?? false ? "nil" : nil)
            return "\(member.name.parameter): \(type)" + (standard.map { " = \($0)" } ?? "")
        }
        return typed.map { "self.\($0.member.spelling) = \($0.member.spelling)" }
            .block("\(access.modifier)init(\(parameters.joined(separator: ", ")))")
    }

    private func describing(_ access: AccessLevel) -> [String] {
        let elements = members.compactMap { member in
            member.attribute.map {
                "    Howdah.AttributeDescription(\($0.arguments(composite: member.composite))),"
            }
        }
        return [
            "\(access.modifier)static let compositeDescription = Howdah.CompositeDescription("
                + "\(SwiftLiteral.string(description.name)), ["
        ] + elements + ["])"]
    }

    private func keyPaths(_ access: AccessLevel) -> [String] {
        let paths = members.flatMap { $0.keyPath(root: "Self") }.map { "    \($0)," }
        return (["["] + paths + ["]"]).block(
            "\(access.modifier)static var _keyPaths: [Howdah._PropertyKeyPath]")
    }

    private func columnCount(_ access: AccessLevel) -> [String] {
        let counts = typed.filter(\.member.isStored).map {
            "Howdah._Emitted.columnCount(of: (\($0.type)).self)"
        }
        let sum = counts.isEmpty ? "0" : counts.joined(separator: " + ")
        return ["\(access.modifier)static var _columnCount: Swift.Int { \(sum) }"]
    }

    private func zero(_ access: AccessLevel) -> [String] {
        let arguments = typed.map { "\($0.member.name.label): Howdah._Emitted.zero()" }
        return ["\(access.modifier)static var _zero: Self { Self(\(arguments.joined(separator: ", "))) }"]
    }

    private func fromRow(_ access: AccessLevel) -> [String] {
        typed.map { member, _ in
            let value = member.isStored ? "read(&row)" : "zero()"
            return "self.\(member.spelling) = Howdah._Emitted.\(value)"
        }.block("\(access.modifier)init(_row row: inout Howdah._RowReader)")
    }

    private func fromElements(_ access: AccessLevel) -> [String] {
        var lines = ["guard elements.count == \(members.count) else { return nil }"]
        for (member, type) in typed {
            let local = "element\(member.slot)"
            lines += [
                "guard let \(local) = Howdah._Emitted.make(elements[\(member.slot)], (\(type)).self) else { return nil }",
                "self.\(member.spelling) = \(local)",
            ]
        }
        return lines.block("\(access.modifier)init?(_elements elements: [Howdah.Value])")
    }

    private func elements(_ access: AccessLevel) -> [String] {
        let values = members.map {
            $0.type == nil ? ".null" : "Howdah._Emitted.element(self.\($0.spelling))"
        }
        return ["\(access.modifier)var _elements: [Howdah.Value] { [\(values.joined(separator: ", "))] }"]
    }
}
