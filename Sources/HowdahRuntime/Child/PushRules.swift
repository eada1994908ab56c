import HowdahModel

/// The rules that a child's save checks: those of the database's save, except for unique values.
///
/// Only the database can check these. Delete rules were applied in memory before.
struct PushRules {
    private let push: Push
    private let context: ManagedObjectContext

    init(_ push: Push, _ context: ManagedObjectContext) {
        self.push = push
        self.context = context
    }

    /// - Throws: `SaveError.referentialIntegrity` naming the relationship that denies a deletion;
    ///   `SaveError.validation` with all issues.
    func check() throws {
        let denials = denials()
        guard denials.isEmpty else {
            throw SaveError(
                .referentialIntegrity,
                "A delete rule denies the deletion, because the object still has related objects. Nothing was "
                    + "saved. Delete these objects too, or set their relationship to another object, and save "
                    + "again.",
                issues: denials)
        }
        let changes = push.changes
        let settled = SettledChanges(
            inserted: changes.inserted, updated: changes.updated, links: changes.links, lists: changes.lists,
            isLocked: false)
        var validation = Validation(context.layouts)
        try validation.check(settled, others: changes.issues + counts(settled))
    }

    private func denials() -> [ValidationIssue] {
        (push.changes.deleted + push.changes.discarded).flatMap { object in
            object.layout.relationshipSlots.compactMap { slot in
                let relationship = object.layout.relationship(slot)
                guard relationship.deleteRule == .deny else { return nil }
                let count = object.related(slot).count { !$0._flags.contains(.deleted) }
                guard count > 0 else { return nil }
                return ValidationIssue(
                    object, relationship.name, ValidationIssue.deleteDenied,
                    ValidationIssue.denial(by: object.layout.name, relationship, remaining: count)
                )
            }
        }
    }

    private func counts(_ settled: SettledChanges) throws -> [ValidationIssue] {
        guard context.store.layouts.hasCounts else { return [] }
        var issues = try RequiredToOnes(context, settled).missing(deleted: push.changes.deleted).map(\.issue)
        for owner in push.changes.inserted {
            for slot in owner.layout.countedSlots { issues += issue(owner, slot) }
        }
        for list in push.changes.lists
        where list.relationship.isCounted && !list.owner._flags.contains(.inserted) {
            issues += issue(list.owner, list.relationship.slot)
        }
        return issues
    }

    private func issue(_ owner: ManagedObject, _ slot: Int) -> [ValidationIssue] {
        let count = owner.membersOf(slot).count { !$0._flags.contains(.deleted) }
        return CountRules.issue(owner.layout.relationship(slot), of: owner, count)
    }
}
