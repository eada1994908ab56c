extension ModelValidation {
    /// A derived attribute follows from set ones only: none is derived from another derived one, so that there are
    /// no cycles and the order of computing them does not matter.
    mutating func checkDerivation(of attribute: AttributeDescription, in entity: EntityDescription) {
        guard let expression = attribute.derivationExpression else { return }
        guard let derivation = Derivation(expression) else {
            return report(
                .invalidDerivation, entity.name, attribute.name,
                "The derivation \"\(expression)\" has none of the forms that a store keeps: \(Derivation.forms)."
            )
        }
        let text = mistake(of: attribute) ?? mistake(of: attribute, derivation, entity.name)
        if let text { report(.invalidDerivation, entity.name, attribute.name, "The derivation \(text).") }
    }

    mutating func checkNoDerivation(
        of element: AttributeDescription, path: String, in entity: EntityDescription
    ) {
        guard element.derivationExpression != nil else { return }
        report(
            .invalidDerivation, entity.name, path,
            "An element of a composite cannot be derived; derive an attribute of the entity.")
    }

    /// What a derived attribute cannot have.
    private func mistake(of attribute: AttributeDescription) -> String? {
        if attribute.isTransient {
            return "is of a transient attribute, which no store keeps; make it stored"
        }
        if attribute.defaultValue != nil {
            return "computes the value of new objects too; remove the default value"
        }
        if attribute.minimum != nil || attribute.maximum != nil || attribute.minimumLength != nil
            || attribute.maximumLength != nil || attribute.regex != nil || !attribute.allowedValues.isEmpty
        {
            return "has the value it follows from; put the rules for values there"
        }
        return nil
    }

    private func mistake(
        of attribute: AttributeDescription, _ derivation: Derivation, _ entity: String
    ) -> String? {
        do throws(Derivation.Mistake) {
            switch derivation.kind {
            case .now:
                if attribute.type != .date, attribute.type != .double {
                    return "is a moment; make the attribute a Date"
                }
            case .copy(let path):
                let source = try DerivedSource(path, of: entity, in: model)
                if source.attribute.type != attribute.type {
                    return
                        "copies a value of type \(source.attribute.type.name); give the attribute that type"
                }
                if !attribute.isOptional, !source.isRequired || !source.hops.isEmpty {
                    return "may have nothing to copy; make the attribute optional"
                }
            case .canonical(let path), .uppercase(let path), .lowercase(let path):
                let source = try DerivedSource(path, of: entity, in: model)
                if source.attribute.type != .string || attribute.type != .string {
                    return "changes texts; make both attributes Strings"
                }
                if !source.hops.isEmpty {
                    return "leads across a relationship; only plain copies and the object's own texts can"
                }
                if !attribute.isOptional, !source.isRequired {
                    return "may have no text to change; make the attribute optional"
                }
            case .count(let name):
                _ = try DerivedSource.toMany(name, of: entity, in: model)
                if !attribute.type.isInteger { return "counts; make the attribute an integer" }
            case .sum(let name, let path):
                let relationship = try DerivedSource.toMany(name, of: entity, in: model)
                let source = try DerivedSource(path, of: relationship.destination, in: model)
                if !source.hops.isEmpty {
                    return "sums up what \(name) does not have itself; name an attribute of "
                        + relationship.destination
                }
                if !source.attribute.type.isNumber || !attribute.type.isNumber {
                    return "adds up numbers; make both attributes numbers"
                }
                if attribute.type.isInteger, !source.attribute.type.isInteger {
                    return
                        "adds up fractions; make the attribute \(source.attribute.type.name.article) \(source.attribute.type.name)"
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
            throw .init("names \"\(name)\", which is no stored to-many relationship of \(entity); name one")
        }
        return relationship
    }
}

extension AttributeType {
    fileprivate var isInteger: Bool { self == .integer16 || self == .integer32 || self == .integer64 }
    fileprivate var isNumber: Bool { isInteger || self == .decimal || self == .double || self == .float }
}
