import HowdahModel

extension ModelReader {
    /// An attribute of an entity, or an element of a composite type; `owner` is the name of either. Nil without a name.
    mutating func attribute(
        _ element: ModelElement, in owner: String
    ) throws(ModelFileError) -> AttributeDescription? {
        guard let name = requiredName(of: element) else { return nil }
        let type = try attributeType(of: element, owner, name)
        var result = AttributeDescription(
            name, type, optional: element.flag("optional"), transient: element.flag("transient"),
            renamingIdentifier: element.text("elementID"),
            versionHashModifier: element.text("versionHashModifier"),
            valueTransformerName: element.text("valueTransformerName"),
            allowsExternalBinaryDataStorage: element.flag("allowsExternalBinaryDataStorage"),
            valueClassName: element.text("customClassName"), derivation: element.text("derivationExpression"),
            preservesValueInHistoryOnDeletion: element.flag("preserveAfterDeletion"),
            userInfo: userInfo(of: element))
        if element.flag("derived") != (result.derivationExpression != nil) {
            warn(
                element.flag("derived")
                    ? "The attribute is derived but has no expression, so it is an ordinary attribute. Add the expression."
                    : "The attribute has a derivation expression but is not derived, so it is an ordinary "
                        + "attribute. Make the attribute derived, or remove the expression.", element,
                entity: owner, property: name
            )
            result.derivationExpression = nil
        }
        setValues(of: &result, element, owner)
        if result.derivationExpression != nil { dropValues(of: &result, element, owner) }
        return result
    }

    /// The editor leaves a default of zero where a number was made a derived one; the store computes the value of new
    /// objects too.
    private mutating func dropValues(
        of attribute: inout AttributeDescription, _ element: ModelElement, _ owner: String
    ) {
        let hasRules =
            attribute.minimum != nil || attribute.maximum != nil || attribute.minimumLength != nil
            || attribute.maximumLength != nil || attribute.regex != nil
        guard hasRules || attribute.defaultValue != nil else { return }
        let what = attribute.defaultValue == nil ? "rules" : hasRules ? "default and rules" : "default"
        warn(
            "The attribute is derived, so its \(what) \(what == "default" ? "has" : "have") no effect. Remove the \(what).",
            element,
            entity: owner, property: attribute.name)
        attribute.defaultValue = nil
        (attribute.minimum, attribute.maximum) = (nil, nil)
        (attribute.minimumLength, attribute.maximumLength, attribute.regex) = (nil, nil, nil)
    }

    private mutating func attributeType(
        of element: ModelElement, _ owner: String, _ name: String
    ) throws(ModelFileError) -> AttributeType {
        switch element.text("attributeType") {
        case "Composite":
            return try composite(named: element.text("composite"), at: element).map { .composite($0) }
                ?? .undefined
        case let text?:
            if let type = Self.types[text] { return type }
            fault(
                "The attribute \(owner).\(name) has the unknown type \"\(text)\". Choose another type.",
                element)
            return .undefined
        case nil:
            if !element.flag("transient") {
                warn(
                    "The attribute has no type. It exists in memory only, as if it were transient. Set a "
                        + "type to store the attribute.", element,
                    entity: owner, property: name)
            }
            return .undefined
        }
    }

    private static let types: [String: AttributeType] = [
        "Integer 16": .integer16, "Integer 32": .integer32, "Integer 64": .integer64, "Decimal": .decimal,
        "Double": .double, "Float": .float, "String": .string, "Boolean": .boolean, "Date": .date,
        "Binary": .binary, "UUID": .uuid, "URI": .uri, "Transformable": .transformable,
        "Undefined": .undefined, "Object ID": .uri,
    ]

    /// Default and bounds, which are text in the file whatever the type.
    private mutating func setValues(
        of attribute: inout AttributeDescription, _ element: ModelElement, _ owner: String
    ) {
        let type = attribute.type
        func value(_ text: String, _ what: String) -> Value? {
            if let value = AttributeText.value(text, of: type) { return value }
            warn(
                "The \(what) \"\(text.prefix(80))\" is not a value of type \(type.name), so it has no "
                    + "effect. Correct the \(what).",
                element,
                entity: owner, property: attribute.name)
            return nil
        }
        func interval(_ key: String) -> String? { type == .date ? element.text(key) : nil }
        if type == .date {
            attribute.defaultValue = interval("defaultDateTimeInterval").flatMap { value($0, "default") }
            if let text = element.text("defaultValueString"), interval("defaultDateTimeInterval") == nil {
                warn(
                    "The default \"\(text.prefix(80))\" of a Date has no effect. Use "
                        + "defaultDateTimeInterval, as Xcode does.",
                    element, entity: owner, property: attribute.name)
            }
        } else if let text = element["defaultValueString"], type == .string || !text.isEmpty {
            attribute.defaultValue = value(text, "default")
        }
        if type == .string {
            attribute.minimumLength = element.text("minValueString").flatMap { length($0, element, owner) }
            attribute.maximumLength = element.text("maxValueString").flatMap { length($0, element, owner) }
        } else {
            attribute.minimum = (interval("minDateTimeInterval") ?? element.text("minValueString"))
                .flatMap { value($0, "minimum") }
            attribute.maximum = (interval("maxDateTimeInterval") ?? element.text("maxValueString"))
                .flatMap { value($0, "maximum") }
        }
        attribute.regex = element.text("regularExpressionString")
    }

    private mutating func length(_ text: String, _ element: ModelElement, _ owner: String) -> Int? {
        if let length = Int(text) ?? Double(text).flatMap(Int.init(exactly:)), length >= 0 { return length }
        warn(
            "The length \"\(text)\" is not a valid count, so it has no effect. Use a whole number, 0 or more.",
            element,
            entity: owner,
            property: element["name"])
        return nil
    }
}
