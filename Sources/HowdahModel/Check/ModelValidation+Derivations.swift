extension ModelValidation {
    /// A derived attribute follows from set ones only: none is derived from another derived one, so that there are
    /// no cycles and the order of computing them does not matter.
    mutating func checkDerivation(of attribute: AttributeDescription, in entity: EntityDescription) {
        guard let expression = attribute.derivationExpression else { return }
        guard let derivation = Derivation(expression) else {
            return report(
                .invalidDerivation, entity.name, attribute.name,
                "The derivation expression \"\(expression)\" is not supported. Use one of these forms: "
                    + "\(Derivation.forms)."
            )
        }
        let text = mistake(of: attribute) ?? mistake(of: attribute, derivation, entity.name)
        if let text { report(.invalidDerivation, entity.name, attribute.name, text) }
    }

    mutating func checkNoDerivation(
        of element: AttributeDescription, path: String, in entity: EntityDescription
    ) {
        guard element.derivationExpression != nil else { return }
        report(
            .invalidDerivation, entity.name, path,
            "An element of a composite attribute cannot be derived. Derive an attribute of the entity "
                + "instead.")
    }

    /// What a derived attribute cannot have.
    private func mistake(of attribute: AttributeDescription) -> String? {
        if attribute.isTransient {
            return
                "The derivation belongs to a transient attribute, which no store keeps. Make the attribute stored."
        }
        if attribute.defaultValue != nil {
            return "The derivation computes the value of new objects too. Remove the default value."
        }
        if attribute.minimum != nil || attribute.maximum != nil || attribute.minimumLength != nil
            || attribute.maximumLength != nil || attribute.regex != nil || !attribute.allowedValues.isEmpty
        {
            return "The derivation takes its value from another attribute. Move the validation rules to that "
                + "attribute."
        }
        return nil
    }

    private func mistake(
        of attribute: AttributeDescription, _ derivation: Derivation, _ entity: String
    ) -> String? {
        let place = "\(entity).\(attribute.name)"
        do throws(Derivation.Mistake) {
            switch derivation.kind {
            case .now:
                if attribute.type != .date, attribute.type != .double {
                    return "The derivation now() gives a point in time. Make \(place) a Date."
                }
            case .copy(let path):
                let source = try DerivedSource(path, of: entity, in: model)
                if source.attribute.type != attribute.type {
                    return
                        "The derivation copies \(source.name), which is of type "
                        + "\(source.attribute.type.name). Give \(place) this type."
                }
                if !attribute.isOptional, !source.isRequired || !source.hops.isEmpty {
                    return "The copied value of \(source.name) may be nil. Make \(place) optional."
                }
            case .canonical(let path), .uppercase(let path), .lowercase(let path):
                let source = try DerivedSource(path, of: entity, in: model)
                if source.attribute.type != .string || attribute.type != .string {
                    return "The derivation converts the text of \(source.name). Make \(source.name) and "
                        + "\(place) Strings."
                }
                if !source.hops.isEmpty {
                    return
                        "The derivation converts text of a related object, but can convert only attributes of "
                        + "\(entity). Remove canonical:, uppercase: or lowercase: to copy the text, or use an "
                        + "attribute of \(entity)."
                }
                if !attribute.isOptional, !source.isRequired {
                    return "The derivation converts \(source.name), which may be nil. Make \(place) optional."
                }
            case .count(let name):
                _ = try DerivedSource.toMany(name, of: entity, in: model)
                if !attribute.type.isInteger {
                    return "The derivation is a count. Make \(place) an integer."
                }
            case .sum(let name, let path):
                let relationship = try DerivedSource.toMany(name, of: entity, in: model)
                let source = try DerivedSource(path, of: relationship.destination, in: model)
                if !source.hops.isEmpty {
                    return "The derivation sums an attribute across a second relationship. Use an attribute "
                        + "of \(relationship.destination)."
                }
                let sides = [(source.name, source.attribute.type), (place, attribute.type)]
                if let (name, type) = sides.first(where: { !$0.1.isNumber }) {
                    return
                        "The derivation is a sum, but \(name) is of type \(type.name). Make \(name) a number."
                }
                if attribute.type.isInteger, !source.attribute.type.isInteger {
                    return
                        "The derivation sums \(source.name), which can have fractions. Make \(place) "
                        + "\(source.attribute.type.name.article) \(source.attribute.type.name)."
                }
            }
            return nil
        } catch {
            return error.text
        }
    }
}

extension DerivedSource {
    package static func toMany(
        _ name: String, of entity: String, in model: ManagedObjectModel
    ) throws(Derivation.Mistake) -> RelationshipDescription {
        guard let relationship = model.property(named: name, of: entity)?.relationship,
            relationship.isToMany, !relationship.isTransient
        else {
            throw .init(
                "The derivation names \"\(name)\", which is not a stored to-many relationship of \(entity). "
                    + "Use a stored to-many relationship.")
        }
        return relationship
    }
}

extension DerivedSource {
    /// The attribute with its entity, for messages.
    fileprivate var name: String { "\(entity).\(path.joined(separator: "."))" }
}

extension AttributeType {
    fileprivate var isInteger: Bool { self == .integer16 || self == .integer32 || self == .integer64 }
    fileprivate var isNumber: Bool { isInteger || self == .decimal || self == .double || self == .float }
}
