extension ModelValidation {
    mutating func checkAllowedValues(
        of attribute: AttributeDescription, path: String, in entity: EntityDescription
    ) {
        guard !attribute.allowedValues.isEmpty else { return }
        let type = attribute.type
        if type.composite != nil || type == .transformable {
            report(
                .invalidAllowedValues, entity.name, path,
                "Only attributes of one comparable value can have allowed values. "
                    + "\(type.composite == nil ? "Remove the allowed values." : "Set the allowed values for the elements of the composite.")"
            )
            return
        }
        if attribute.allowedValues.contains(where: { $0.isNull || !type.accepts($0) }) {
            report(
                .invalidAllowedValues, entity.name, path,
                "An allowed value is not a value of type \(type.name). Change the value or the type.")
        }
        if let value = attribute.defaultValue, !value.isNull,
            !attribute.allowedValues.map(\.normalized).contains(value.normalized)
        {
            report(
                .invalidAllowedValues, entity.name, path,
                "The default value is not one of the allowed values. Add the default value to the allowed "
                    + "values, or choose another default.")
        }
    }

    mutating func checkPattern(of attribute: AttributeDescription, path: String, in entity: EntityDescription)
    {
        guard let regex = attribute.regex, attribute.type == .string else { return }
        do throws(PredicateTreeError) {
            _ = try ValidationPattern(regex)
        } catch {
            report(
                .invalidPattern, entity.name, path,
                "The pattern is not a regular expression that ICU can read. Correct or remove the pattern.")
        }
    }

    mutating func checkCaseInsensitivity(
        of attribute: AttributeDescription, path: String, in entity: EntityDescription
    ) {
        guard let text = attribute.userInfo[MappingKey.caseInsensitive] else { return }
        guard let flag = MappingKey.flag(text) else {
            report(
                .invalidMapping, entity.name, path,
                "\(MappingKey.caseInsensitive) is neither \"YES\" nor \"NO\". Correct or remove the key.")
            return
        }
        guard flag, attribute.type != .string else { return }
        report(
            .invalidMapping, entity.name, path,
            "Only strings can be compared without regard to case. Remove \(MappingKey.caseInsensitive) from "
                + "this attribute of type \(attribute.type.name), or make it a String.")
    }
}
