internal import HowdahModel

extension AttributeDescription {
    /// The arguments that describe the attribute.
    func arguments(composite: String?) -> String {
        let type = composite.map { ".composite(\($0.spelling).compositeDescription)" } ?? ".\(type.name)"
        var call = [SwiftLiteral.string(name), type]
        if !isOptional { call.append("optional: false") }
        if let defaultValue { call.append("default: \(SwiftLiteral.value(defaultValue))") }
        if isTransient { call.append("transient: true") }
        if let minimum { call.append("minimum: \(SwiftLiteral.value(minimum))") }
        if let maximum { call.append("maximum: \(SwiftLiteral.value(maximum))") }
        if let minimumLength { call.append("minimumLength: \(minimumLength)") }
        if let maximumLength { call.append("maximumLength: \(maximumLength)") }
        call.append("regex", regex)
        call.append("renamingIdentifier", renamingIdentifier)
        call.append("versionHashModifier", versionHashModifier)
        call.append("valueTransformerName", valueTransformerName)
        if allowsExternalBinaryDataStorage { call.append("allowsExternalBinaryDataStorage: true") }
        if !userInfo.isEmpty { call.append("userInfo: \(SwiftLiteral.dictionary(userInfo))") }
        return call.joined(separator: ", ")
    }
}

extension RelationshipDescription {
    /// The arguments that describe the relationship.
    var arguments: String {
        var call = [SwiftLiteral.string(name), "to: \(SwiftLiteral.string(destination))"]
        call.append("inverse", inverse)
        if isToMany { call.append("toMany: true") }
        if isOrdered { call.append("ordered: true") }
        if !isOptional { call.append("optional: false") }
        if minCount != 0 { call.append("minCount: \(minCount)") }
        if isToMany, maxCount != 0 { call.append("maxCount: \(maxCount)") }
        if deleteRule != .nullify { call.append("deleteRule: .\(deleteRule.rawValue)") }
        call.append("renamingIdentifier", renamingIdentifier)
        if !userInfo.isEmpty { call.append("userInfo: \(SwiftLiteral.dictionary(userInfo))") }
        return call.joined(separator: ", ")
    }
}

extension ClassPlan {
    /// The body of the class's description.
    var description: [String] {
        var lines = ["\(members.isEmpty ? "let" : "var") properties: [Howdah.PropertyDescription] = []"]
        for member in members {
            switch member.shape {
            case .attribute(let attribute, _), .unsupported(let attribute):
                lines.append(
                    "properties.append(.attribute(\(attribute.arguments(composite: member.composite))))")
            case .toOne(let relationship, _), .toMany(let relationship, _):
                lines.append("properties.append(.relationship(\(relationship.arguments)))")
            }
        }
        var call = ["_entityName"]
        if entity.isAbstract { call.append("abstract: true") }
        call.append("superentity", entity.superentity)
        call.append("properties: properties")
        if !entity.uniquenessConstraints.isEmpty {
            let groups = entity.uniquenessConstraints.map(SwiftLiteral.strings).joined(separator: ", ")
            call.append("uniquenessConstraints: [\(groups)]")
        }
        call.append("renamingIdentifier", entity.renamingIdentifier)
        call.append("versionHashModifier", entity.versionHashModifier)
        if !entity.userInfo.isEmpty { call.append("userInfo: \(SwiftLiteral.dictionary(entity.userInfo))") }
        return lines + ["return Howdah.EntityDescription(\(call.joined(separator: ", ")))"]
    }
}

extension [String] {
    fileprivate mutating func append(_ label: String, _ text: String?) {
        if let text { append("\(label): \(SwiftLiteral.string(text))") }
    }
}
