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
        for obstacle in compatibility.found {
            add(
                obstacle.name,
                "\(obstacle.message): a restarted program of the previous version cannot open the store, even with StoreOptions.accepting = .compatible",
                "Stop the programs of the previous version before you migrate, or first deploy programs whose model fits both versions. See Rolling deploys in the guide to migrations."
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
                        "\(target).\(property.name)",
                        "\(target).\(property.name) is required and has no default: inserts by programs of the previous version fail",
                        "Add \(property.name) as optional or with a default, and make it required in a later version."
                    )
                }
                continue
            }
            guard let old = before.attribute, let new = property.attribute else { continue }
            let place = "\(target).\(property.name)"
            if !old.newValues(in: new).isEmpty {
                add(
                    place,
                    "\(place) allows more values: fetches by programs of the previous version fail at rows that have a new value",
                    "Add a case for unknown values to the previous version, with @Attribute(unknown: .other). Deploy it before a row has a new value.",
                    .note)
            }
            if old.isOptional, !new.isOptional {
                add(
                    place, "\(place) becomes required: saves of nil by programs of the previous version fail",
                    "First deploy programs that always set \(place). Make it required in a later model version."
                )
            }
            if !old.isWithinRules(of: new) {
                add(
                    place,
                    "\(place) has stricter rules: saves by programs of the previous version that break the new rules fail",
                    "First deploy programs that follow the new rules. Add the rules to a later model version."
                )
            }
        }
        let added = now.uniquenessConstraints.filter { constraint in
            !entity.uniquenessConstraints.contains {
                $0 == constraint.map { pairing.source(of: $0, in: target)?.name ?? $0 }
            }
        }
        for constraint in added {
            add(
                target,
                "\(target) becomes unique by \(constraint.joined(separator: ", ")): saves of duplicates by programs of the previous version fail",
                "First deploy programs that save no duplicates. Add the uniqueness constraint to a later model version."
            )
        }
    }

    private mutating func add(
        _ name: String?, _ message: String, _ idiom: String, _ severity: LintFinding.Severity = .warning
    ) {
        findings.append(
            LintFinding(
                rule: .versionBefore, severity: severity, stage: stage, step: nil, name: name,
                message: message, idiom: idiom))
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
