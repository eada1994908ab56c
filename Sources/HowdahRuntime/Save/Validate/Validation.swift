import HowdahModel

/// The rules of the model that can be checked before anything is written: required values, and the bounds of
/// attributes.
struct Validation {
    /// The number of values whose pattern takes too long, after which a save does not match any further value.
    private static let patience = 4

    private let layouts: [EntityLayout]
    private var undecided = 0

    init(_ layouts: [EntityLayout]) { self.layouts = layouts }

    /// Checks every object that the save writes.
    ///
    /// - Parameter others: The errors of hooks, and the broken bounds of to-manys, which need a query.
    /// - Throws: `SaveError.validation` with all issues.
    mutating func check(_ settled: SettledChanges, others: [ValidationIssue] = []) throws {
        var issues = others
        for object in settled.inserted {
            check(object, object.layout.slots.indices, settled, isNew: true, &issues)
        }
        for update in settled.updated { check(update.object, update.slots, settled, isNew: false, &issues) }
        for (nullification, keys) in settled.nullifications where !keys.isEmpty {
            let layout = layouts[nullification.entity]
            let relationship = layout.relationship(nullification.slot)
            guard !relationship.isOptional else { continue }
            issues.append(ValidationIssue(nullifying: keys.count, relationship, of: layout))
        }
        guard !issues.isEmpty else { return }
        // A value that no column takes is found where it is written; this save does not come that far.
        throw SaveError.validation(issues + unstorable(settled))
    }

    private func unstorable(_ settled: SettledChanges) -> [ValidationIssue] {
        let written =
            settled.inserted.map { (object: $0, slots: nil) }
            + settled.updated.map { (object: $0.object, slots: Optional($0.slots)) }
        return written.flatMap { object, slots in object.unstorable(slots) }
    }

    /// Checks some properties of one object, as part of a save.
    mutating func check(
        _ object: ManagedObject, _ slots: some Sequence<Int>, _ settled: SettledChanges, isNew: Bool,
        _ issues: inout [ValidationIssue]
    ) {
        for slot in slots {
            let property = object.layout.slots[slot]
            switch property.kind {
            case .attribute(let attribute):
                if property.columns.isEmpty || attribute.isDerived { continue }
                let value = object._value(at: slot)
                let isMissing = value.isNull || isNew && !object.wasGiven(slot, attribute)
                if !isMissing {
                    guard let rules = attribute.rules else { continue }
                    for rule in rules.broken(by: value, matching: undecided < Self.patience) {
                        if rule.isUndecided { undecided += 1 }
                        issues.append(ValidationIssue(object, rule.path, rule.code, rule.message))
                    }
                } else if !attribute.isOptional {
                    issues.append(
                        ValidationIssue(
                            object, property.name, ValidationIssue.missingMandatory,
                            "is required and has no value. Give it a value before you save."))
                }
            case .toOne(let relationship):
                guard !relationship.isOptional, case .foreignKey = relationship.storage else { continue }
                if settled.destination(of: object, slot: slot, layouts: layouts).isNone {
                    issues.append(
                        ValidationIssue(
                            object, property.name, ValidationIssue.missingMandatory,
                            takenOver(from: object, slot, relationship)
                                ?? "is a required relationship without a destination. Set a destination before you "
                                + "save."
                        ))
                }
            case .toMany: break
            }
        }
    }

    /// Returns the issue of a saved object whose destination another one took over by taking its place.
    private func takenOver(
        from object: ManagedObject, _ slot: Int, _ relationship: RelationshipLayout
    ) -> String? {
        guard
            case .toOne(let before)? = object.changes?.originals.first(where: { $0.slot == slot })?.original,
            let destination = before.object, let inverse = relationship.inverse,
            !relationship.inverseIsToMany, let taker = destination._toOneField(at: inverse).object,
            taker !== object
        else { return nil }
        let place = "\(destination.layout.name) \(destination.objectID.shortText)"
        return
            "lost its required destination \(place), whose \(destination.layout.slots[inverse].name) is now "
            + "\(taker.layout.name) \(taker.objectID.shortText). Delete this \(object.layout.name), or set "
            + "another \(destination.layout.name)."
    }
}

extension ManagedObject {
    /// Returns a Boolean value that indicates whether a new object's attribute has an intended value: set, or
    /// the default.
    fileprivate final func wasGiven(_ slot: Int, _ attribute: AttributeLayout) -> Bool {
        attribute.defaultValue != nil || isWritten(slot)
    }
}
