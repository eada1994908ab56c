extension ManagedObjectModel {
    /// Returns the differences that give two models different ``versionChecksum``s, one phrase each, by
    /// entity name.
    ///
    /// - Parameter stored: The model of a store, which the phrases call the store.
    package func differences(from stored: ManagedObjectModel) -> [String] {
        let (ours, theirs) = (Self.parts(of: physicalForm), Self.parts(of: stored.physicalForm))
        var sentences: [String] = []
        for name in Set(ours.keys).union(theirs.keys).sorted() {
            switch (ours[name], theirs[name]) {
            case (let ours?, let theirs?): sentences += Self.sentences(name, ours, theirs)
            case (nil, _?): sentences.append("the entity \(name) is in the store only")
            case (_?, nil): sentences.append("the entity \(name) is in the model only")
            case (nil, nil): break
            }
        }
        return sentences
    }

    /// An entity as keys and values, separate from its properties.
    private struct Parts {
        var entity: [String: CanonicalJSON] = [:]
        var properties: [String: [String: CanonicalJSON]] = [:]
    }

    private static func sentences(_ entity: String, _ ours: Parts, _ theirs: Parts) -> [String] {
        var sentences: [String] = []
        let keys = differingKeys(ours.entity, theirs.entity)
        if !keys.isEmpty { sentences.append("\(entity) differs in \(keys.joined(separator: ", "))") }
        for name in Set(ours.properties.keys).union(theirs.properties.keys).sorted() {
            switch (ours.properties[name], theirs.properties[name]) {
            case (let ours?, let theirs?):
                let keys = differingKeys(ours, theirs)
                if keys.isEmpty { continue }
                sentences.append("\(entity).\(name) differs in \(keys.joined(separator: ", "))")
            case (nil, _?): sentences.append("\(entity).\(name) is in the store only")
            case (_?, nil): sentences.append("\(entity).\(name) is in the model only")
            case (nil, nil): break
            }
        }
        return sentences
    }

    private static func differingKeys(
        _ ours: [String: CanonicalJSON], _ theirs: [String: CanonicalJSON]
    ) -> [String] {
        Set(ours.keys).union(theirs.keys).filter { ours[$0]?.text != theirs[$0]?.text }.sorted()
    }

    private static func parts(of model: ManagedObjectModel) -> [String: Parts] {
        var result: [String: Parts] = [:]
        for entity in model.entities {
            var parts = Parts()
            var bare = entity
            bare.properties = []
            parts.entity = keys(of: bare)
            for property in entity.properties {
                parts.properties[property.name] =
                    switch property.kind {
                    case .attribute(let attribute): keys(of: attribute)
                    case .relationship(let relationship):
                        keys(of: relationship).merging(["kind": .string("relationship")]) { $1 }
                    }
            }
            result[entity.name] = parts
        }
        return result
    }

    private static func keys(of value: some Encodable) -> [String: CanonicalJSON] {
        guard case .object(let keys)? = try? CanonicalJSON(value) else { return [:] }
        return keys
    }
}
