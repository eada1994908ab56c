import HowdahModel

extension ModelReader {
    mutating func entity(_ element: ModelElement) throws(ModelFileError) -> EntityDescription {
        let name = try requiredName(of: element)
        var properties: [PropertyDescription] = []
        for child in element.children {
            switch child.name {
            case "attribute": properties.append(.attribute(try attribute(child, in: name)))
            case "relationship": properties.append(.relationship(try relationship(child, in: name)))
            default: continue
            }
        }
        var fetched: [FetchedPropertyDescription] = []
        for child in element.children(named: "fetchedProperty") { fetched.append(try fetchedProperty(child)) }
        let userInfo = userInfo(of: element)
        return EntityDescription(
            name, className: Self.className(element.text("representedClassName")),
            abstract: element.flag("isAbstract"), superentity: element.text("parentEntity"),
            properties: properties, uniquenessConstraints: uniquenessConstraints(of: element),
            fetchIndexes: try fetchIndexes(of: element, name), fetchedProperties: fetched,
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

    mutating func relationship(
        _ element: ModelElement, in entity: String
    ) throws(ModelFileError) -> RelationshipDescription {
        let name = try requiredName(of: element)
        guard let destination = element.text("destinationEntity") else {
            throw ModelFileError(
                .malformed, "The relationship \(entity).\(name) has no destination; choose one.",
                line: element.line)
        }
        let isToMany = element.flag("toMany")
        let minimum = count("minCount", of: element, entity, name) ?? 0
        let maximum = count("maxCount", of: element, entity, name) ?? (isToMany ? 0 : 1)
        if isToMany, maximum == 1 {
            warn(
                "A maximum count of 1 makes this a to-one relationship.", element, entity: entity,
                property: name)
        }
        var rule = DeleteRule.nullify
        if let text = element.text("deletionRule") {
            guard let known = Self.deleteRules[text] else {
                throw ModelFileError(
                    .malformed,
                    "The relationship \(entity).\(name) has the unknown delete rule \"\(text)\"; choose Nullify, "
                        + "Cascade, Deny or No Action.", line: element.line)
            }
            rule = known
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

    private mutating func count(
        _ attribute: String, of element: ModelElement, _ entity: String, _ property: String
    ) -> Int? {
        guard let text = element.text(attribute) else { return nil }
        if let number = Int(text), number >= 0 { return number }
        warn(
            "The \(attribute) \"\(text)\" is no count and has no effect.", element, entity: entity,
            property: property)
        return nil
    }

    private mutating func fetchedProperty(
        _ element: ModelElement
    ) throws(ModelFileError) -> FetchedPropertyDescription {
        let name = try requiredName(of: element)
        guard let request = element.children(named: "fetchRequest").first else {
            throw ModelFileError(
                .malformed, "The fetched property \(name) has no fetch request; add one.", line: element.line)
        }
        return FetchedPropertyDescription(name, try fetchRequest(request), userInfo: userInfo(of: element))
    }

    mutating func fetchRequest(_ element: ModelElement) throws(ModelFileError) -> FetchRequestTemplate {
        guard let entity = element.text("entity") else {
            throw ModelFileError(
                .malformed, "This fetch request names no entity; choose one.", line: element.line)
        }
        var result = FetchRequestTemplate(
            entityName: entity, predicateFormat: element.text("predicateString"))
        result.fetchLimit = count("fetchLimit", of: element, entity, "fetch request") ?? 0
        result.fetchBatchSize = count("fetchBatchSize", of: element, entity, "fetch request") ?? 0
        let types: [String: FetchRequestTemplate.ResultType] = [
            "0": .objects, "1": .objectIDs, "2": .dictionaries, "4": .count,
        ]
        if let text = element.text("resultType") {
            if let type = types[text] {
                result.resultType = type
            } else {
                warn("The result type \"\(text)\" is unknown; objects are fetched.", element, entity: entity)
            }
        }
        // Written only where they differ from what a new request does: flags that are on are spelled out too.
        func isOn(_ attribute: String, default standard: Bool) -> Bool {
            element[attribute] == nil ? standard : element.flag(attribute)
        }
        result.includesSubentities = isOn("includeSubentities", default: true)
        result.includesPropertyValues = isOn("includePropertyValues", default: true)
        result.includesPendingChanges = isOn("includesPendingChanges", default: true)
        result.returnsObjectsAsFaults = isOn("returnObjectsAsFaults", default: true)
        result.returnsDistinctResults = isOn("returnDistinctResults", default: false)
        return result
    }
}
