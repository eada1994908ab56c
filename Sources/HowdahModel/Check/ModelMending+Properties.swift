extension ModelMending {
    mutating func mendAttributes(ofEntityAt position: Int, _ model: ManagedObjectModel) {
        let entity = entities[position]
        for (place, property) in entity.properties.enumerated() {
            guard var attribute = property.attribute else { continue }
            mendRules(of: &attribute, path: attribute.name, entity.name)
            mendDerivation(of: &attribute, entity.name, model)
            if attribute != property.attribute {
                entities[position].properties[place] = .attribute(attribute)
            }
        }
    }

    /// Rules that no value can fulfil, or that nothing can check.
    private mutating func mendRules(of attribute: inout AttributeDescription, path: String, _ entity: String)
    {
        let type = attribute.type
        if let minimum = attribute.minimum, let maximum = attribute.maximum, minimum.isGreater(than: maximum)
        {
            note(
                "The minimum is greater than the maximum. Both have no effect. Swap the two values.", entity,
                path)
            (attribute.minimum, attribute.maximum) = (nil, nil)
        }
        if !type.isBounded, attribute.minimum != nil || attribute.maximum != nil {
            note(
                "An attribute of type \(type.name) cannot have a minimum or a maximum. Both have no effect. "
                    + "Remove the minimum and the maximum.",
                entity, path)
            (attribute.minimum, attribute.maximum) = (nil, nil)
        }
        if let minimum = attribute.minimumLength, let maximum = attribute.maximumLength, minimum > maximum {
            note(
                "The minimum length is greater than the maximum length. Both have no effect. Swap the two "
                    + "lengths.", entity, path)
            (attribute.minimumLength, attribute.maximumLength) = (nil, nil)
        }
        if attribute.regex != nil, type != .string {
            note(
                "Only strings can have a regular expression, so this one has no effect. Remove the regular "
                    + "expression.", entity, path)
            attribute.regex = nil
        }
        if let regex = attribute.regex, (try? ValidationPattern(regex)) == nil {
            note(
                "The pattern is not a valid regular expression, so saves do not check it. Correct the "
                    + "pattern.", entity, path)
            attribute.regex = nil
        }
        guard let composite = attribute.type.composite else { return }
        var elements = composite.elements
        for place in elements.indices {
            mendRules(of: &elements[place], path: "\(path).\(elements[place].name)", entity)
        }
        if elements != composite.elements {
            attribute.type = .composite(CompositeDescription(composite.name, elements))
        }
    }

    /// What a derived attribute follows from may be nil.
    private mutating func mendDerivation(
        of attribute: inout AttributeDescription, _ entity: String, _ model: ManagedObjectModel
    ) {
        guard !attribute.isOptional, let expression = attribute.derivationExpression,
            let derivation = Derivation(expression)
        else { return }
        let path: [String]
        switch derivation.kind {
        case .copy(let way), .canonical(let way), .uppercase(let way), .lowercase(let way): path = way
        default: return
        }
        guard let source = try? DerivedSource(path, of: entity, in: model),
            !source.isRequired || !source.hops.isEmpty
        else { return }
        note(
            "The derived attribute is treated as optional, because its source may be nil. Make the derived "
                + "attribute optional.", entity,
            attribute.name)
        attribute.isOptional = true
    }

    mutating func mendRelationships(ofEntityAt position: Int) {
        let entity = entities[position]
        for (place, property) in entity.properties.enumerated() {
            guard var relationship = property.relationship else { continue }
            if relationship.isOrdered, !relationship.isToMany {
                note(
                    "Only a to-many relationship can be ordered, so the order has no effect. Make the "
                        + "relationship to-many, or remove the order.", entity.name,
                    relationship.name)
                relationship.isOrdered = false
            }
            if relationship.maxCount != 0, relationship.minCount > relationship.maxCount {
                note(
                    "The minimum count is greater than the maximum count. The minimum has no effect. Lower "
                        + "the minimum count.",
                    entity.name,
                    relationship.name)
                relationship.minCount = 0
            }
            if relationship != property.relationship {
                entities[position].properties[place] = .relationship(relationship)
            }
        }
    }

    /// Two relationships may name one inverse, which leads back to one of them. The other one has no inverse here.
    mutating func mendInverses() {
        let model = draft
        for position in entities.indices {
            let entity = entities[position]
            for (place, property) in entity.properties.enumerated() {
                guard var relationship = property.relationship, let name = relationship.inverse,
                    let inverse = model.declaration(of: name, in: relationship.destination)?.property
                        .relationship
                else { continue }
                let found = model.declaration(of: relationship.name, in: inverse.destination)
                if inverse.inverse == relationship.name, found?.entity.name == entity.name { continue }
                let target = inverse.inverse.map { "\(inverse.destination).\($0)" }
                note(
                    "The inverse \(relationship.destination).\(name) "
                        + (target.map { "refers back to \($0). " } ?? "has no inverse. ")
                        + "The relationship is read without an inverse, so a change of one side does not "
                        + "update the other side. Set the inverse of "
                        + "\(relationship.destination).\(name) to \(entity.name).\(relationship.name).",
                    entity.name, relationship.name)
                relationship.inverse = nil
                entities[position].properties[place] = .relationship(relationship)
            }
        }
    }
}
