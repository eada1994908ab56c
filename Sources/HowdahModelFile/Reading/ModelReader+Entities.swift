import HowdahModel

extension ModelReader {
    /// An entity, without what of it is a fault; nil without a name.
    mutating func entity(_ element: ModelElement) throws(ModelFileError) -> EntityDescription? {
        guard let name = requiredName(of: element) else { return nil }
        var properties: [PropertyDescription] = []
        lines[name] = lines[name] ?? element.line
        for child in element.children {
            if let property = child.text("name") { lines["\(name).\(property)"] = child.line }
            switch child.name {
            case "attribute":
                if let attribute = try attribute(child, in: name) { properties.append(.attribute(attribute)) }
            case "relationship":
                if let relationship = relationship(child, in: name) {
                    properties.append(.relationship(relationship))
                }
            default: continue
            }
        }
        var fetched: [FetchedPropertyDescription] = []
        for child in element.children(named: "fetchedProperty") {
            if let property = fetchedProperty(child) { fetched.append(property) }
        }
        let userInfo = userInfo(of: element)
        return EntityDescription(
            name, className: Self.className(element.text("representedClassName")),
            abstract: element.flag("isAbstract"), superentity: element.text("parentEntity"),
            properties: properties, uniquenessConstraints: uniquenessConstraints(of: element),
            fetchIndexes: fetchIndexes(of: element, name), fetchedProperties: fetched,
            renamingIdentifier: element.text("elementID"),
            versionHashModifier: element.text("versionHashModifier"), userInfo: userInfo)
    }

    /// A dot in front stands for the module that the class is compiled in; objects without a class need none.
    private static func className(_ text: String?) -> String? {
        guard let text, text != "NSManagedObject" else { return nil }
        return text.hasPrefix(".") ? String(text.dropFirst()) : text
    }

    private func uniquenessConstraints(of element: ModelElement) -> [[String]] {
        element.children(named: "uniquenessConstraints").flatMap {
            $0.children(named: "uniquenessConstraint")
        }
        .map { constraint in constraint.children(named: "constraint").compactMap { $0.text("value") } }
        .filter { !$0.isEmpty }
    }

    private mutating func relationship(_ element: ModelElement, in entity: String) -> RelationshipDescription?
    {
        guard let name = requiredName(of: element) else { return nil }
        guard let destination = element.text("destinationEntity") else {
            fault("The relationship \(entity).\(name) has no destination. Choose an entity.", element)
            return nil
        }
        let isToMany = element.flag("toMany")
        let minimum = count("minCount", of: element, entity, name) ?? 0
        let maximum = count("maxCount", of: element, entity, name) ?? (isToMany ? 0 : 1)
        if isToMany, maximum == 1 {
            warn(
                "The relationship is to-many with a maximum count of 1, so it is read as a to-one "
                    + "relationship. Set another maximum count to keep the relationship to-many.", element,
                entity: entity, property: name)
        }
        var rule = DeleteRule.nullify
        if let text = element.text("deletionRule") {
            if let known = Self.deleteRules[text] {
                rule = known
            } else {
                fault(
                    "The relationship \(entity).\(name) has the unknown delete rule \"\(text)\". Choose "
                        + "Nullify, Cascade, Deny or No Action.", element)
            }
        }
        let isOptional = element.flag("optional")
        return RelationshipDescription(
            name, to: destination, inverse: element.text("inverseName"), ordered: element.flag("ordered"),
            optional: isOptional,
            // Of a to-one relationship its optionality says the same, and says it for Core Data.
            minCount: maximum == 1 ? 0 : minimum, maxCount: isToMany ? maximum : 1, deleteRule: rule,
            transient: element.flag("transient"), renamingIdentifier: element.text("elementID"),
            versionHashModifier: element.text("versionHashModifier"), userInfo: userInfo(of: element))
    }

    private static let deleteRules: [String: DeleteRule] = [
        "Nullify": .nullify, "Cascade": .cascade, "Deny": .deny, "No Action": .noAction,
    ]

    mutating func count(
        _ attribute: String, of element: ModelElement, _ entity: String, _ property: String
    ) -> Int? {
        guard let text = element.text(attribute) else { return nil }
        if let number = Int(text), number >= 0 { return number }
        warn(
            "The \(attribute) \"\(text)\" is not a valid count, so it has no effect. Use a whole number, 0 or more.",
            element,
            entity: entity,
            property: property)
        return nil
    }
}
