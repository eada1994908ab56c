extension ModelValidation {
    mutating func check(_ attribute: AttributeDescription, path: String, in entity: EntityDescription) {
        checkDefault(of: attribute, path: path, in: entity)
        checkBounds(of: attribute, path: path, in: entity)
        checkAllowedValues(of: attribute, path: path, in: entity)
        checkPattern(of: attribute, path: path, in: entity)
        checkCaseInsensitivity(of: attribute, path: path, in: entity)
        if let element = attribute.type.element, !element.isElement {
            report(
                .invalidElement, entity.name, path,
                "An array cannot have elements of type \(element.name). Use an entity and a to-many "
                    + "relationship."
            )
        }
        guard let composite = attribute.type.composite else { return }
        var seen: Set<String> = []
        for element in composite.elements {
            let elementPath = "\(path).\(element.name)"
            checkName(element.name, of: "element", entity.name, elementPath)
            checkKeyPathName(element.name, entity.name, elementPath)
            if !seen.insert(element.name).inserted {
                report(
                    .duplicateName, entity.name, elementPath,
                    "The composite type has two elements of this name. Rename one of the elements.")
            }
            check(element, path: elementPath, in: entity)
            checkNoDerivation(of: element, path: elementPath, in: entity)
        }
    }

    private mutating func checkDefault(
        of attribute: AttributeDescription, path: String, in entity: EntityDescription
    ) {
        guard let value = attribute.defaultValue, attribute.type.isStored,
            !attribute.type.accepts(value)
        else { return }
        report(
            .invalidDefault, entity.name, path,
            "The default value is not a value of type \(attribute.type.name). Change the value or the type.")
    }

    private mutating func checkBounds(
        of attribute: AttributeDescription, path: String, in entity: EntityDescription
    ) {
        let type = attribute.type
        for (bound, value) in [("minimum", attribute.minimum), ("maximum", attribute.maximum)] {
            guard let value else { continue }
            if !type.isBounded || value.isNull {
                report(
                    .invalidBounds, entity.name, path,
                    "Only numbers and dates can have a \(bound). Remove the \(bound) from this attribute of "
                        + "type \(type.name)."
                )
            } else if !type.accepts(value) {
                report(
                    .invalidBounds, entity.name, path,
                    "The \(bound) is not a value of type \(type.name). Change the value or the type.")
            }
        }
        if let minimum = attribute.minimum, let maximum = attribute.maximum, minimum.isGreater(than: maximum)
        {
            report(
                .invalidBounds, entity.name, path,
                "The minimum is greater than the maximum, so no value is valid. Swap the two values.")
        }
        let lengths = [attribute.minimumLength, attribute.maximumLength].compactMap { $0 }
        if type != .string, !lengths.isEmpty || attribute.regex != nil {
            report(
                .invalidBounds, entity.name, path,
                "Only strings can have a length or a regular expression. Remove the "
                    + "\(lengths.isEmpty ? "regular expression" : attribute.regex == nil ? "length" : "length and the regular expression") "
                    + "from this attribute of type \(type.name).")
        } else if lengths.contains(where: { $0 < 0 }) {
            report(
                .invalidBounds, entity.name, path,
                "A length is negative. Set the length to zero or more, or remove the length.")
        } else if let minimum = lengths.first, let maximum = lengths.last, minimum > maximum {
            report(
                .invalidBounds, entity.name, path,
                "The minimum length is greater than the maximum length, so no text is valid. Swap the two "
                    + "lengths.")
        }
    }

    mutating func check(_ relationship: RelationshipDescription, in entity: EntityDescription) {
        let name = relationship.name
        if relationship.minCount < 0 || relationship.maxCount < 0
            || (relationship.maxCount != 0 && relationship.minCount > relationship.maxCount)
        {
            report(
                .invalidBounds, entity.name, name,
                "The minimum count \(relationship.minCount) and the maximum count \(relationship.maxCount) "
                    + "leave no valid number of destinations. Set both counts to zero or more, and the "
                    + "minimum at most to the maximum. Set the maximum to 0 for an unbounded number.")
        }
        if relationship.isOrdered, !relationship.isToMany {
            report(
                .invalidBounds, entity.name, name,
                "Only a to-many relationship can be ordered. Remove the order or the maximum count of 1.")
        }
        guard model[relationship.destination] != nil else {
            report(
                .unknownEntity, entity.name, name,
                "The destination \"\(relationship.destination)\" is not in the model. Add the entity, or "
                    + "correct the name."
            )
            return
        }
        checkInverse(of: relationship, in: entity)
    }

    private mutating func checkInverse(of relationship: RelationshipDescription, in entity: EntityDescription)
    {
        guard let inverseName = relationship.inverse else { return }
        let place = "\(relationship.destination).\(inverseName)"
        guard let found = model.declaration(of: inverseName, in: relationship.destination),
            let inverse = found.property.relationship
        else {
            report(
                .unknownProperty, entity.name, relationship.name,
                "The inverse \(place) is not a relationship of the model. Add the relationship, or correct "
                    + "the name.")
            return
        }
        guard inverse.inverse == relationship.name,
            model.declaration(of: relationship.name, in: inverse.destination)?.entity.name == entity.name
        else {
            report(
                .inverseMismatch, entity.name, relationship.name,
                "The inverse \(place) does not refer back to this relationship. Set the destination of "
                    + "\(place) to \(entity.name), and the inverse of \(place) to \"\(relationship.name)\".")
            return
        }
    }

    mutating func checkUniqueness(of entity: EntityDescription) {
        for constraint in entity.uniquenessConstraints {
            let list = constraint.joined(separator: ", ")
            if constraint.isEmpty {
                report(
                    .invalidUniqueness, entity.name, nil,
                    "A uniqueness constraint names no properties. Add a property, or remove the constraint.")
            }
            if Set(constraint).count < constraint.count {
                report(
                    .invalidUniqueness, entity.name, nil,
                    "The uniqueness constraint (\(list)) names a property twice. Remove one of the two.")
            }
            for member in constraint {
                guard let property = model.property(named: member, of: entity.name) else {
                    report(
                        .unknownProperty, entity.name, member,
                        "The uniqueness constraint (\(list)) names a property that the entity does not have. "
                            + "Add the property or correct the name.")
                    continue
                }
                switch property.kind {
                case .attribute(let attribute) where attribute.isStored: continue
                case .attribute:
                    report(
                        .invalidUniqueness, entity.name, member,
                        "The uniqueness constraint (\(list)) names an attribute that is not stored. Remove "
                            + "the attribute from the constraint."
                    )
                case .relationship(let relationship) where relationship.isToMany:
                    report(
                        .invalidUniqueness, entity.name, member,
                        "The uniqueness constraint (\(list)) names a to-many relationship. Use only "
                            + "attributes and to-one relationships.")
                case .relationship: continue
                }
            }
        }
    }
}
