import SwiftSyntax

extension EntityDeclaration {
    /// `class var entity` and the name that other classes' relationships take.
    var descriptionMembers: [String] {
        let name = entityName ?? "\"\(className)\""
        let own = members
        var lines = own.map { "properties.append(\($0.description))" }
        lines.insert("\(own.isEmpty ? "let" : "var") properties: [Howdah.PropertyDescription] = []", at: 0)
        var call = ["_entityName"]
        if let abstract = arguments["abstract"] { call.append("abstract: \(abstract)") }
        if superentity != nil { call.append("superentity: \(superclassSpelling)._entityName") }
        call.append("properties: properties")
        var constraints = own.filter { $0.property.attributeMark?.has("unique") ?? false }
            .map { "[\"\($0.property.name)\"]" }.joined(separator: ", ")
        constraints = constraints.isEmpty ? "" : "[\(constraints)]"
        if let groups = arguments["unique"] {
            constraints = constraints.isEmpty ? groups : "\(constraints) + \(groups)"
        }
        if !constraints.isEmpty { call.append("uniquenessConstraints: \(constraints)") }
        if let indexes = fetchIndexes(own) { call.append("fetchIndexes: \(indexes)") }
        for label in ["fetchedProperties", "renamingIdentifier", "versionHashModifier"] {
            if let value = arguments[label] { call.append("\(label): \(value)") }
        }
        if let info = Self.userInfo(arguments, keys: ["table", "key", "version"]) {
            call.append("userInfo: \(info)")
        }
        lines.append("return Howdah.EntityDescription(\(call.joined(separator: ", ")))")
        let check =
            superentity == nil
            ? []
            : [
                "nonisolated private static func __superclassOf\(className)() {"
                    + Self.block(["Howdah._Emitted.superclass(\(superclassSpelling).self)"]) + "}"
            ]
        return check + [
            "nonisolated \(overrideAccess)override class var _entityName: String { \(name) }",
            "nonisolated \(overrideAccess)override class var entity: Howdah.EntityDescription? {\(Self.block(lines))}",
        ]
    }

    private func fetchIndexes(_ members: [PropertyMember]) -> String? {
        let marked = members.filter { $0.property.attributeMark?.has("indexed") ?? false }
            .map { "\"\($0.property.name)\"" }.joined(separator: ", ")
        if marked.isEmpty, arguments["indexes"] == nil { return nil }
        return "Howdah._Emitted.indexes([\(marked)], \(arguments["indexes"] ?? "[]"))"
    }

    var superclassSpelling: String { superclass?.trimmedDescription ?? "ManagedObject" }

    /// The dictionary for `userInfo`, with the arguments that are short for some of its keys.
    static func userInfo(_ arguments: [String: String], keys: [String]) -> String? {
        keys.reduce(arguments["userInfo"]) { info, key in
            guard let short = arguments[key] else { return info }
            return "Howdah._Emitted.userInfo(\(info ?? "[:]"), Howdah.MappingKey.\(key), \(short))"
        }
    }

    /// Lines as the inside of braces.
    static func block(_ lines: [String]) -> String {
        "\n" + lines.map { "    \($0)\n" }.joined()
    }
}

extension PropertyMember {
    /// The call that describes the property.
    fileprivate var description: String {
        switch shape {
        case .attribute(let type): ".attribute(\(property.attributeArguments(type: type)))"
        case .toOne(let destination, let mark):
            relationship(destination, mark, mark.has("required") ? ["optional: false"] : [])
        case .toMany(let destination, let isOrdered, let mark):
            relationship(
                destination, mark,
                ["toMany: true"] + (isOrdered ? ["ordered: true"] : [])
                    + (mark.has("optional") ? ["optional: true"] : []))
        }
    }

    private func relationship(_ destination: String, _ mark: PropertyMark, _ kind: [String]) -> String {
        var call = ["\"\(property.name)\"", "to: \(destination)._entityName"]
        if let inverse = mark.inverse { call.append("inverse: \"\(inverse)\"") }
        call += kind
        for label in ["minCount", "maxCount", "deleteRule"] {
            if let value = mark.arguments[label] { call.append("\(label): \(value)") }
        }
        if mark.has("transient") { call.append("transient: true") }
        if let value = mark.arguments["renamingIdentifier"] { call.append("renamingIdentifier: \(value)") }
        if let info = EntityDeclaration.userInfo(mark.arguments, keys: ["column"]) {
            call.append("userInfo: \(info)")
        }
        return ".relationship(\(call.joined(separator: ", ")))"
    }
}

extension PropertyDeclaration {
    /// The arguments that describe the property as an attribute, of an entity or of a composite.
    func attributeArguments(type: String) -> String {
        let mark = attributeMark
        let isData = ["Data", "Data?", "Foundation.Data", "Foundation.Data?"].contains(type)
        let holdsBytes = isData && mark?.arguments["valueTransformerName"] != nil
        var call = [
            "\"\(name)\"",
            holdsBytes
                ? ".transformable"
                : "Howdah._Emitted.type(of: \(type.metatype)\(unknownCase.map { ", without: \($0)" } ?? ""))",
        ]
        call.append("optional: \(self.type?.optionalWrapped != nil)")
        if let initialValue, initialValue.isLiteral {
            call.append("default: Howdah._Emitted.value(\(initialValue.trimmedDescription) as \(type))")
        } else if let initialValue, initialValue.isImplicitMember {
            call.append("default: Howdah._Emitted.constant(\(initialValue.trimmedDescription) as \(type))")
        }
        if mark?.has("transient") ?? false { call.append("transient: true") }
        if mark?.has("caseInsensitive") ?? false { call.append("caseInsensitive: true") }
        for label in [
            "minimum", "maximum", "minimumLength", "maximumLength", "regex", "renamingIdentifier",
            "versionHashModifier", "valueTransformerName",
        ] {
            if let value = mark?.arguments[label] { call.append("\(label): \(value)") }
        }
        if mark?.has("externalStorage") ?? false { call.append("allowsExternalBinaryDataStorage: true") }
        if let derived = mark?.arguments["derived"] { call.append("derivation: \(derived)") }
        let isPreserved = mark?.has("preserveValueOnDeletion") ?? false
        let preservation = isPreserved ? ["preservesValueInHistoryOnDeletion: true"] : []
        let info = EntityDeclaration.userInfo(mark?.arguments ?? [:], keys: ["column"])
        if self.type?.isUnknown ?? false {
            let rest = unknownCase.map { ", without: \($0)" } ?? ""
            call.append("allowedValues: Howdah._Emitted.allowedValues(of: \(type.metatype)\(rest))")
            call += preservation
            call.append("userInfo: Howdah._Emitted.userInfo(\(info ?? "[:]"), of: \(type.metatype))")
        } else {
            call += preservation
            if let info { call.append("userInfo: \(info)") }
        }
        return call.joined(separator: ", ")
    }
}

extension String {
    /// The expression for the type itself.
    var metatype: String { contains(" ") ? "(\(self)).self" : "\(self).self" }
}
