internal import HowdahModel

extension AttributeDescription {
    /// The arguments that describe the attribute as a composite's element.
    func arguments(composite: String?) -> String {
        let type =
            composite.map { ".composite(\($0.spelling).compositeDescription)" }
            ?? type.element.map { ".array(of: .\($0.name))" } ?? ".\(type.name)"
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
        call.append("valueClassName", valueClassName)
        if !allowedValues.isEmpty {
            call.append("allowedValues: [\(allowedValues.map(SwiftLiteral.value).joined(separator: ", "))]")
        }
        if preservesValueInHistoryOnDeletion { call.append("preservesValueInHistoryOnDeletion: true") }
        if !userInfo.isEmpty { call.append("userInfo: \(SwiftLiteral.dictionary(userInfo))") }
        return call.joined(separator: ", ")
    }
}

extension [String] {
    fileprivate mutating func append(_ label: String, _ text: String?) {
        if let text { append("\(label): \(SwiftLiteral.string(text))") }
    }
}
