import SwiftSyntax

extension EntityDeclaration {
    /// The fields behind the properties, and the methods with which the runtime reaches them.
    var storageMembers: [String] {
        var attributes: [PropertyMember] = []
        var toOnes: [PropertyMember] = []
        var toManys: [PropertyMember] = []
        for member in members {
            switch member.shape {
            case .attribute: attributes.append(member)
            case .toOne: toOnes.append(member)
            case .toMany: toManys.append(member)
            }
        }
        var result = members.map(field)
        if !isFinal {
            result.append(
                "nonisolated \(access)static func _endSlot(_ type: Howdah._Emitted.Of<\(className)>.Type) -> Int {"
                    + Self.block([slot(members.count)]) + "}")
        }
        result.append(decode)
        if !attributes.isEmpty {
            result.append(
                method("_value(at slot: Int) -> Howdah.Value", attributes, "super._value(at: slot)", ".null")
                { member in
                    let property = member.property
                    return "return Howdah._Emitted.value(\(property.field)\(property.unknown()))"
                })
            result.append(
                method(
                    "_assign(_ value: Howdah.Value, at slot: Int) -> Bool", attributes,
                    "super._assign(value, at: slot)", "false"
                ) {
                    "return Howdah._Emitted.assign(value, to: &\($0.property.field)\($0.property.unknown("&")))"
                })
        }
        if !toOnes.isEmpty {
            result.append(
                method(
                    "_toOneField(at slot: Int) -> Howdah._ToOneField", toOnes, "super._toOneField(at: slot)",
                    "Howdah._ToOneField()"
                ) { "return \($0.property.field)" })
            result.append(
                method(
                    "_assignToOne(_ field: Howdah._ToOneField, at slot: Int)", toOnes,
                    "super._assignToOne(field, at: slot)", ""
                ) { "\($0.property.field) = field" })
        }
        if !toManys.isEmpty {
            result.append(
                method(
                    "_toManyState(at slot: Int) -> Howdah._ToManyState?", toManys,
                    "super._toManyState(at: slot)", "nil"
                ) { "return \($0.property.field)" })
            result.append(
                method(
                    "_assignToMany(_ state: Howdah._ToManyState?, at slot: Int)", toManys,
                    "super._assignToMany(state, at: slot)", ""
                ) { "\($0.property.field) = state" })
        }
        let computed = attributes.filter { $0.property.hasComputedInitialValue }
        if !computed.isEmpty {
            result.append(
                override("_setInitialValues()")
                    + Self.block(
                        ["super._setInitialValues()"]
                            + computed.map {
                                "self.\($0.property.spelling) = \($0.property.initialValue?.trimmedDescription ?? "")"
                            }) + "}")
        }
        return result
    }

    private func field(_ member: PropertyMember) -> String {
        let declaration = "@exclusivity(unchecked) nonisolated private var \(member.property.field)"
        return switch member.shape {
        case .attribute(let type):
            "\(declaration): \(type) = Howdah._Emitted.zero()"
                + (member.property.unknownCase == nil
                    ? ""
                    : "\n@exclusivity(unchecked) nonisolated private var \(member.property.storedField): Howdah.Value?")
        case .toOne: "\(declaration) = Howdah._ToOneField()"
        case .toMany: "\(declaration): Howdah._ToManyState?"
        }
    }

    private var decode: String {
        var lines = superentity == nil ? [] : ["super._decode(&row)"]
        for member in members {
            switch member.shape {
            case .attribute where member.property.attributeMark?.has("transient") ?? false: break
            case .attribute:
                lines.append(
                    "\(member.property.field) = Howdah._Emitted.read(&row\(member.property.unknown("&")))")
            case .toOne: lines.append("\(member.property.field) = row.toOne(\(slot(member.offset)))")
            case .toMany: break
            }
        }
        return override("_decode(_ row: inout Howdah._RowReader)") + Self.block(lines) + "}"
    }

    /// A method that goes by the slot; slots of the superclass are its business.
    private func method(
        _ signature: String, _ members: [PropertyMember], _ inherited: String, _ nothing: String,
        body: (PropertyMember) -> String
    ) -> String {
        var lines = ["switch slot\(firstSlot.map { " - \($0)" } ?? "") {"]
        lines += members.map { "case \($0.offset): \(body($0))" }
        let rest = superentity == nil ? nothing : inherited
        let returns = signature.contains("->") ? "return \(rest)" : rest
        lines.append("default: \(returns.isEmpty ? "break" : returns)")
        return override(signature) + Self.block(lines + ["}"]) + "}"
    }

    private func override(_ signature: String) -> String {
        "nonisolated \(overrideAccess)override func \(signature) {"
    }
}

extension PropertyDeclaration {
    /// The name of the field behind the property.
    var field: String { "__\(name)" }

    /// The name of the field with the stored value that no case has.
    var storedField: String { "__stored_\(name)" }

    /// The case for unknown values, as an expression; nil if there is none.
    var unknownCase: String? {
        guard let given = attributeMark?.arguments["unknown"], let type else { return nil }
        let name = (type.optionalWrapped ?? type).trimmedDescription
        return "\(given) as \(name)"
    }

    /// The arguments that name the case for unknown values and the field beside it; empty if there is none.
    ///
    /// - Parameter prefix: what passes the field on.
    func unknown(_ prefix: String = "") -> String {
        unknownCase.map { ", unknown: \($0), stored: \(prefix)\(storedField)" } ?? ""
    }

    /// Whether each new object evaluates the initial value anew.
    var hasComputedInitialValue: Bool { initialValue.map { !$0.isLiteral && !$0.isNil } ?? false }
}
