import HowdahModel

extension ManagedObject {
    /// Checks a candidate value against the model's rules.
    final func checkRules(of value: Any?, forKey key: String) throws {
        if _flags.contains(.forwarding) { return try resolved.checkRules(of: value, forKey: key) }
        // A save has found what the model's rules say by itself.
        if managedObjectContext?.changes.isValidating == true { return }
        guard let slot = layout.slotsByName[key] else {
            throw ValidationIssue(
                self, [key], "is not an attribute or a relationship of the entity. Correct the name.")
        }
        guard let attribute = layout.attribute(slot) else { return try checkRelationship(value, slot) }
        if attribute.isDerived {
            throw ValidationIssue(
                self, [key],
                "is computed by the store and cannot be set. Set the properties that it is derived from.")
        }
        guard let given = ValueCoding.value(value, for: attribute, path: [], in: _value(at: slot)) else {
            let name = value.map { "\(type(of: $0))" } ?? "nil"
            throw ValidationIssue(
                self, [key],
                "cannot hold \(name.article) \(name). Give it a value of the type "
                    + "\(attribute.type.name).")
        }
        if let refusal = given.refusalOfTransformer { throw ValidationIssue(self, [key], refusal) }
        var issues: [ValidationIssue] = []
        if given.isNull {
            if !attribute.isOptional {
                issues = [
                    ValidationIssue(
                        self, [key], code: ValidationIssue.missingMandatory, "is required. Give it a value.")
                ]
            }
        } else {
            issues = (attribute.rules?.broken(by: given.normalized) ?? []).map {
                ValidationIssue(self, $0.path, $0.code, $0.message)
            }
        }
        if issues.count == 1 { throw issues[0] }
        if !issues.isEmpty { throw SaveError.validation(issues) }
    }

    /// Checks the value of a relationship: its kind, its context, and that a required one has a value.
    private final func checkRelationship(_ value: Any?, _ slot: Int) throws {
        let relationship = layout.relationship(slot)
        let key = layout.slots[slot].name
        let entities = owner?.layouts
        let destination = entities?[relationship.destination]
        func misfit(_ member: Any) -> String? {
            guard let object = (member as? ManagedObject)?.resolved else {
                let name = "\(type(of: member))"
                return "is a relationship and cannot hold \(name.article) \(name). Give it an object."
            }
            guard object.owner === owner, !object._flags.contains(.detached) else {
                return
                    "cannot refer to an object of another context. Get that object from this context with "
                    + "object(with:) and its objectID."
            }
            if destination?.family.contains(object.layout.index) ?? true { return nil }
            let wanted = destination?.name ?? "another entity"
            return
                "refers to \(wanted) and cannot refer to \(object.layout.name.article) \(object.layout.name). "
                + "Use an object of \(wanted)."
        }
        if case .toMany = layout.slots[slot].kind {
            guard let members = value as? [Any] else {
                throw ValidationIssue(self, [key], "is a to-many relationship. Give it an array of objects.")
            }
            for member in members {
                if let misfit = misfit(member) { throw ValidationIssue(self, [key], misfit) }
            }
        } else if let value {
            if let misfit = misfit(value) { throw ValidationIssue(self, [key], misfit) }
        } else if !relationship.isOptional {
            throw ValidationIssue(
                self, [key], code: ValidationIssue.missingMandatory, "is required. Give it a value.")
        }
    }

    /// Checks the model's rules for all values, or for those that changed, except rules about other rows.
    final func checkRules(isNew: Bool) throws {
        if _flags.contains(.forwarding) { return try resolved.checkRules(isNew: isNew) }
        guard let context = managedObjectContext, !context.changes.isValidating else { return }
        var issues: [ValidationIssue] = []
        let changes = ChangeSet(
            inserted: isNew ? [self] : [],
            updated: isNew ? [] : [.init(object: self, slots: changedColumnSlots)])
        let settled = SettledChanges(
            inserted: changes.inserted, updated: changes.updated, links: [], isLocked: false)
        let slots = isNew ? Array(layout.slots.indices) : changedColumnSlots
        var validation = Validation(context.layouts)
        validation.check(self, slots, settled, isNew: isNew, &issues)
        issues += unstorable(slots)
        // The model's rules are checked; hooks add their own.
        try context.changes.validating {
            for key in type(of: self).validatedKeys where isNew || changedPropertyNames.contains(key) {
                do { try validateValue(value(forKey: key), forKey: key) } catch {
                    issues += try ValidationIssue.issues(of: error, by: self, [key])
                }
            }
        }
        if !issues.isEmpty { throw SaveError.validation(issues).thrownAlone }
    }
}

extension ValidationIssue {
    /// Returns the issues that a hook threw. Any other error becomes one issue.
    ///
    /// - Throws: `CancellationError` if the hook threw it.
    static func issues(
        of error: any Error, by object: ManagedObject, _ properties: [String] = []
    ) throws -> [ValidationIssue] {
        switch error {
        case let issue as ValidationIssue: [issue]
        case let error as SaveError where !error.issues.isEmpty: error.issues
        case is CancellationError: throw error
        default:
            [
                ValidationIssue(
                    object.objectID, object.layout.name, properties, ValidationIssue.generic, "\(error)",
                    underlyingError: error)
            ]
        }
    }
}

extension ManagedObjectContext {
    /// Returns the issues that the hooks of a save's objects throw.
    ///
    /// - Throws: `CancellationError` as soon as a hook throws it.
    func hookIssues(
        _ inserted: [ManagedObject], _ updated: [ManagedObject], _ deleted: [ManagedObject]
    ) throws -> [ValidationIssue] {
        try changes.validating { try issuesOfHooks(inserted, updated, deleted) }
    }

    private func issuesOfHooks(
        _ inserted: [ManagedObject], _ updated: [ManagedObject], _ deleted: [ManagedObject]
    ) throws -> [ValidationIssue] {
        var issues: [ValidationIssue] = []
        func ask(_ object: ManagedObject, _ properties: [String] = [], _ hook: () throws -> Void) throws {
            do { try hook() } catch {
                issues += try ValidationIssue.issues(of: error, by: object, properties)
            }
        }
        var keys: [ObjectIdentifier: [String]] = [:]
        func values(of object: ManagedObject, _ changed: [String]?) throws {
            let type = type(of: object)
            let validated = keys[ObjectIdentifier(type)] ?? type.validatedKeys
            keys[ObjectIdentifier(type)] = validated
            for key in validated where changed?.contains(key) ?? true {
                try ask(object, [key]) { try object.validateValue(object.value(forKey: key), forKey: key) }
            }
        }
        for object in inserted {
            try values(of: object, nil)
            try ask(object) { try object.validateForInsert() }
        }
        for object in updated {
            if !type(of: object).validatedKeys.isEmpty {
                try values(of: object, object.changedPropertyNames)
            }
            try ask(object) { try object.validateForUpdate() }
        }
        for object in deleted { try ask(object) { try object.validateForDelete() } }
        return issues
    }
}
