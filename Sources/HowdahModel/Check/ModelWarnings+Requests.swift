extension ModelWarnings {
    /// A request that cannot be made: its predicate cannot be read, or names what is not there.
    mutating func check(
        _ template: FetchRequestTemplate, _ place: String, _ entity: String?, _ property: String?
    ) {
        checkOptions(of: template, place, entity, property)
        guard let format = template.predicateFormat else { return }
        let tree: PredicateTree
        do throws(PredicateTreeError) {
            tree = try PredicateTree(format: format)
        } catch {
            warn(
                .unreadablePredicate, entity, property,
                "The predicate of the \(place) is invalid, so the request throws an error. Correct the "
                    + "predicate: \(error.description)"
            )
            return
        }
        if let property { checkVariables(of: tree, entity, property) }
        var seen: Set<[String]> = []
        for path in tree.keyPaths where seen.insert(path).inserted {
            guard let mistake = model.mistake(inKeyPath: path, of: template.entityName) else { continue }
            warn(
                .unresolvedKeyPath, entity, property,
                "The predicate of the \(place) names \"\(path.joined(separator: "."))\", so the request "
                    + "throws an error: \(mistake). Correct the key path.")
        }
    }

    private mutating func checkOptions(
        of template: FetchRequestTemplate, _ place: String, _ entity: String?, _ property: String?
    ) {
        // Requests have their result types; a fetched property is objects.
        guard property != nil, template.resultType != .objects else { return }
        warn(
            .requestOptionIgnored, entity, property,
            "The \(place) ignores its result type, because a fetched property returns objects. Remove the "
                + "result type from the request, or fetch in code instead.")
    }

    private mutating func checkVariables(of tree: PredicateTree, _ entity: String?, _ property: String) {
        let source = FetchedPropertyDescription.source + "."
        for variable in tree.variables.sorted() where variable.hasPrefix(source) {
            let path = variable.dropFirst(source.count).split(separator: ".").map(String.init)
            guard let entity, let mistake = model.mistake(inKeyPath: path, of: entity) else { continue }
            warn(
                .unresolvedKeyPath, entity, property,
                "The predicate of the fetched property names $\(variable), so the request throws an error: "
                    + "\(mistake). Correct the key path.")
        }

        let known = [FetchedPropertyDescription.source, FetchedPropertyDescription.property]
        for variable in tree.variables.sorted()
        where !known.contains(where: { variable == $0 || variable.hasPrefix("\($0).") }) {
            warn(
                .unreadablePredicate, entity, property,
                "The variable $\(variable) has no value in a fetched property. Use $FETCH_SOURCE or "
                    + "$FETCHED_PROPERTY."
            )
        }
    }
}

extension ManagedObjectModel {
    /// Why the database cannot follow a key path from an entity; nil where it can.
    fileprivate func mistake(inKeyPath path: [String], of entity: String) -> String? {
        var place = entity
        for (position, name) in path.enumerated() {
            let rest = path[(position + 1)...]
            if PredicateTree.KeyPathOperator(rawValue: name) != nil { continue }
            guard let property = property(named: name, of: place) else {
                // What the object is, rather than what it has.
                if name == "entity", rest.isEmpty || rest == ["name"] || rest == ["lineage"] { return nil }
                return "\(place) has no property \"\(name)\""
            }
            switch property.kind {
            case .relationship(let relationship):
                if relationship.isTransient {
                    return "\(place).\(name) is transient and therefore not stored"
                }
                if let key = rest.first, PredicateTree.KeyPathOperator(rawValue: key) != nil,
                    !relationship.isToMany
                {
                    return key == PredicateTree.Expression.countKey
                        ? "\(place).\(name) is a to-one relationship and has no count"
                        : "\(place).\(name) is a to-one relationship, but \(key) needs a to-many relationship"
                }
                place = relationship.destination
            case .attribute(let attribute): return mistake(in: attribute, rest, "\(place).\(name)")
            }
        }
        return nil
    }

    private func mistake(
        in attribute: AttributeDescription, _ rest: ArraySlice<String>, _ place: String
    ) -> String? {
        guard attribute.isStored else { return "\(place) is not stored" }
        guard let name = rest.first, attribute.columnType != .jsonb else { return nil }
        if attribute.type.element != nil, name == PredicateTree.Expression.countKey { return nil }
        guard let composite = attribute.type.composite else {
            return "\(place) is an attribute, and a key path ends there"
        }
        guard let element = composite.elements.first(where: { $0.name == name }) else {
            return "\(place) has no element \"\(name)\""
        }
        return mistake(in: element, rest.dropFirst(), "\(place).\(name)")
    }
}
