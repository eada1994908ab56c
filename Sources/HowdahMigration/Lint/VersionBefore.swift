package import HowdahModel
internal import HowdahSchema

/// What programs of the version before are refused once a store has a later model: those that go on running, and those that
/// start again.
///
/// A pure function of the two models.
package struct VersionBefore {
    /// In the order of the entities' names.
    package private(set) var findings: [LintFinding] = []

    private let pairing: ModelPairing
    private let stage: String

    /// - Parameter stage: the label that the findings carry.
    package init(of old: ManagedObjectModel, with new: ManagedObjectModel, stage: String = "") {
        pairing = ModelPairing(from: old, to: new)
        self.stage = stage
        for entity in old.entities.sorted(by: { $0.name < $1.name }) { look(at: entity) }
        let compatibility = StoreCompatibility(of: old, with: new, schemaName: "public")
        for obstacle in compatibility.obstacles {
            add(
                "\(obstacle): a program of the version before that starts again is refused, also with StoreOptions.accepting = .compatible",
                "add in one version and remove in a later one, when the version before is gone; or stop the old programs first"
            )
        }
    }

    private mutating func look(at entity: EntityDescription) {
        guard let target = pairing.target(ofEntity: entity.name), let now = pairing.new[target] else {
            return
        }
        for property in now.properties {
            guard let before = pairing.source(of: property.name, in: target) else {
                if property.isNeeded {
                    add(
                        "\(target).\(property.name) is required, without a default: inserts of a running program fail",
                        "add it as optional or with a default, and require it in a later version")
                }
                continue
            }
            guard let old = before.attribute, let new = property.attribute else { continue }
            let place = "\(target).\(property.name)"
            if !old.newValues(in: new).isEmpty {
                add(
                    "\(place) allows more values: fetches of a program of the version before fail at rows that have them",
                    "let that version declare a case for unknown values, @Attribute(unknown: .other), before a row has one",
                    .note)
            }
            if old.isOptional, !new.isOptional {
                add(
                    "\(place) is required: saves of a running program that leave it nil fail",
                    "let the version before set it, and require it in a later one")
            }
            if !old.isWithinRules(of: new) {
                add(
                    "\(place) has narrower rules: saves of a running program that break them fail",
                    "let the version before keep to the rules, and bring them in a later one")
            }
        }
        let added = now.uniquenessConstraints.filter { constraint in
            !entity.uniquenessConstraints.contains {
                $0 == constraint.map { pairing.source(of: $0, in: target)?.name ?? $0 }
            }
        }
        for constraint in added {
            add(
                "\(target) is unique by \(constraint.joined(separator: ", ")): saves of a running program that break it fail",
                "let the version before keep to the rule, and bring it in a later one")
        }
    }

    private mutating func add(
        _ message: String, _ idiom: String, _ severity: LintFinding.Severity = .warning
    ) {
        findings.append(
            LintFinding(
                rule: .versionBefore, severity: severity, stage: stage, step: nil, message: message,
                idiom: idiom))
    }
}

extension PropertyDescription {
    /// Indicates whether an object cannot be stored without it.
    fileprivate var isNeeded: Bool {
        switch kind {
        case .attribute(let attribute):
            attribute.isStored && !attribute.isOptional && attribute.defaultValue == nil
                && attribute.derivationExpression == nil
        case .relationship(let relationship):
            !relationship.isTransient && !relationship.isToMany && !relationship.isOptional
        }
    }
}
