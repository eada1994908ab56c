extension ModelWarnings {
    /// An attribute by the position of the entity that declares it.
    struct Place: Hashable {
        let entity: Int
        let attribute: String
    }

    /// Natural keys: a default would be the same for each new object, and so no remedy.
    var uniqueAttributes: Set<Place> {
        var result: Set<Place> = []
        for entity in model.entities {
            for member in entity.uniquenessConstraints.joined() {
                guard let found = model.index.declaration(of: member, in: entity.name) else { continue }
                result.insert(Place(entity: found.entity, attribute: member))
            }
        }
        return result
    }

    /// One issue for all attributes of an entity that begin without a value.
    ///
    /// Composite and JSON values are left out: what new objects begin with is said by their Swift types.
    mutating func checkDefaults(of entity: EntityDescription, unique: Set<Place>) {
        guard let position = model.index.positions[entity.name] else { return }
        let names = entity.properties.compactMap(\.attribute).filter { attribute in
            attribute.isStored && !attribute.isOptional && attribute.defaultValue == nil
                && attribute.derivationExpression == nil && attribute.type.composite == nil
                && attribute.columnType != .jsonb
                && !unique.contains(Place(entity: position, attribute: attribute.name))
        }.map(\.name)
        guard let last = names.last else { return }
        let list = names.count == 1 ? last : names.dropLast().joined(separator: ", ") + " and " + last
        warn(
            .requiredWithoutDefault, entity.name, nil,
            names.count == 1
                ? "\(list) is required and has no default, so that a save fails for each new object that was not "
                    + "given a value; give it a default or make it optional."
                : "\(list) are required and have no default, so that a save fails for each new object that was not "
                    + "given values; give them defaults or make them optional.")
    }

    /// A default that the attribute's own rules refuse: an object that is inserted and left alone cannot be saved.
    mutating func checkRules(of attribute: AttributeDescription, path: String, in entity: EntityDescription) {
        guard let value = attribute.defaultValue else { return }
        for broken in attribute.brokenRules(by: value) {
            warn(
                .invalidDefaultForRules, entity.name, ([path] + broken.path).joined(separator: "."),
                "The default value \(broken.text), so that a save fails for each new object that keeps it; change the "
                    + "default or the rule.")
        }
    }
}

extension AttributeDescription {
    /// The rules that a value breaks, each with the names of the elements that lead to it.
    fileprivate func brokenRules(by value: Value) -> [(path: [String], text: String)] {
        if case .composite(let values) = value, let composite = type.composite {
            return zip(composite.elements, values).flatMap { element, value in
                element.brokenRules(by: value).map { ([element.name] + $0.path, $0.text) }
            }
        }
        var texts: [String] = []
        if let maximum, value.isGreater(than: maximum) { texts.append("is beyond the maximum") }
        if let minimum, minimum.isGreater(than: value) { texts.append("is below the minimum") }
        if case .string(let text) = value {
            // In UTF-16 units, as the rules count.
            let length = text.utf16.count
            if let maximumLength, length > maximumLength {
                texts.append("is longer than the maximum length of \(maximumLength)")
            }
            if let minimumLength, length < minimumLength {
                texts.append("is shorter than the minimum length of \(minimumLength)")
            }
            if let regex, let pattern = try? ValidationPattern(regex) {
                do throws(PatternBudgetExceeded) {
                    if try !pattern.matches(text) { texts.append("does not match the pattern") }
                } catch {
                    texts.append("takes too long to match against the pattern")
                }
            }
        }
        return texts.map { ([], $0) }
    }
}
