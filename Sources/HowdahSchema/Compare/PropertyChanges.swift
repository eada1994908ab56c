package import HowdahModel

/// What differs between two versions of a property, its name and elements apart.
package enum PropertyChanges {
    package static func details(
        _ old: PropertyDescription, _ new: PropertyDescription, _ pairing: ModelPairing
    ) -> [String] {
        switch (old.kind, new.kind) {
        case (.attribute(let old), .attribute(let new)): details(old, new)
        case (.relationship(let old), .relationship(let new)): details(old, new, pairing)
        default: ["kind"]
        }
    }

    private static func details(_ old: AttributeDescription, _ new: AttributeDescription) -> [String] {
        var details: [String] = []
        if old.type.composite == nil || new.type.composite == nil, old.type != new.type {
            details.append("type \(old.type.name) → \(new.type.name)")
        }
        if old.isOptional != new.isOptional {
            details.append(new.isOptional ? "required → optional" : "optional → required")
        }
        if old.defaultValue != new.defaultValue { details.append("default") }
        if old.isTransient != new.isTransient {
            details.append(new.isTransient ? "stored → transient" : "transient → stored")
        }
        if (old.minimum, old.maximum) != (new.minimum, new.maximum)
            || (old.minimumLength, old.maximumLength) != (new.minimumLength, new.maximumLength)
            || old.regex != new.regex || old.allowedValues != new.allowedValues
        {
            details.append("validation")
        }
        if old.derivationExpression != new.derivationExpression { details.append("derivation") }
        if old.isCaseInsensitive != new.isCaseInsensitive { details.append("case sensitivity") }
        if old.isUniqueByDigest != new.isUniqueByDigest { details.append("uniqueness by digest") }
        if old.userInfo[MappingKey.column] != new.userInfo[MappingKey.column] {
            details.append("column name")
        }
        if old.versionHashModifier != new.versionHashModifier { details.append("version hash modifier") }
        return details
    }

    private static func details(
        _ old: RelationshipDescription, _ new: RelationshipDescription, _ pairing: ModelPairing
    ) -> [String] {
        var details: [String] = []
        if (pairing.target(ofEntity: old.destination) ?? old.destination) != new.destination {
            details.append("destination \(old.destination) → \(new.destination)")
        }
        if old.isToMany != new.isToMany {
            details.append(new.isToMany ? "to-one → to-many" : "to-many → to-one")
        } else if (old.minCount, old.maxCount) != (new.minCount, new.maxCount) {
            details.append("count \(old.minCount)…\(old.maxCount) → \(new.minCount)…\(new.maxCount)")
        }
        if old.isOrdered != new.isOrdered {
            details.append(new.isOrdered ? "unordered → ordered" : "ordered → unordered")
        }
        if old.isOptional != new.isOptional {
            details.append(new.isOptional ? "required → optional" : "optional → required")
        }
        let inverse =
            new.inverse.flatMap { pairing.namesake(of: $0, in: new.destination)?.name } ?? new.inverse
        if old.inverse != inverse {
            details.append("inverse \(old.inverse ?? "none") → \(new.inverse ?? "none")")
        }
        if old.deleteRule != new.deleteRule {
            details.append("delete rule \(old.deleteRule.rawValue) → \(new.deleteRule.rawValue)")
        }
        if old.isTransient != new.isTransient {
            details.append(new.isTransient ? "stored → transient" : "transient → stored")
        }
        let steering = { (relationship: RelationshipDescription) in
            relationship.userInfo.filter { MappingKey.steering.contains($0.key) }
        }
        if steering(old) != steering(new) { details.append("howdah.* keys") }
        if old.versionHashModifier != new.versionHashModifier { details.append("version hash modifier") }
        return details
    }
}
