import HowdahModel

extension ModelReader {
    /// Nil where a name or the request is missing.
    mutating func fetchedProperty(_ element: ModelElement) -> FetchedPropertyDescription? {
        guard let name = requiredName(of: element) else { return nil }
        guard let request = element.children(named: "fetchRequest").first else {
            fault("The fetched property \(name) has no fetch request. Add a fetch request.", element)
            return nil
        }
        return fetchRequest(request).map {
            FetchedPropertyDescription(name, $0, userInfo: userInfo(of: element))
        }
    }

    /// The requests of the model by name.
    mutating func fetchRequestTemplates(of root: ModelElement) -> [String: FetchRequestTemplate] {
        var result: [String: FetchRequestTemplate] = [:]
        for element in root.children(named: "fetchRequest") {
            guard let name = requiredName(of: element), let template = fetchRequest(element) else { continue }
            if result.updateValue(template, forKey: name) != nil {
                fault(
                    "The model has two fetch requests named \"\(name)\". Rename one of the fetch requests.",
                    element)
            }
        }
        return result
    }

    private mutating func fetchRequest(_ element: ModelElement) -> FetchRequestTemplate? {
        guard let entity = element.text("entity") else {
            fault(
                "The fetch request\(element.text("name").map { " " + $0 } ?? "") names no entity. Choose an entity.",
                element)
            return nil
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
                let name = element.text("name").map { " " + $0 } ?? ""
                warn(
                    "The fetch request\(name) has the unknown resultType \"\(text)\", so it fetches objects. "
                        + "Use 0 for objects, 1 for ids, 2 for dictionaries or 4 for the count.", element,
                    entity: entity)
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
