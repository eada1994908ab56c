/// Makes a child's changes unsaved changes of its parent. It is a save with the parent instead of the
/// database.
struct PushPipeline {
    /// The number of rounds in which conflicts are resolved before the save throws them.
    private static let roundLimit = 10

    let context: ManagedObjectContext
    let parent: ManagedObjectContext

    func run() throws {
        try context.throwFailure()
        try parent.throwFailure()
        defer { parent.releasePostponed() }
        context.tellWillSave()
        var notified: Set<ObjectIdentifier> = []
        for round in 1... {
            do {
                return try attempt(&notified)
            } catch is LateChanges.Restart {
                context.changes.noteRestart()
            } catch let error as SaveError where error.code == .conflict {
                let found = context.changes.takeConflicts()
                guard context.mergePolicy.resolves, round < Self.roundLimit, !found.isEmpty,
                    !context.changes.expectsVersion(ofAny: found)
                else { throw error }
                try context.indexingReferences {
                    try context.mergePolicy.resolve(optimisticLockingConflicts: found)
                }
            } catch let error as SaveError where error.code == .referentialIntegrity {
                let found = context.changes.takeConflicts()
                guard context.mergePolicy.resolves, !found.isEmpty, round < Self.roundLimit else {
                    throw error
                }
                try context.indexingReferences {
                    try context.mergePolicy.resolve(optimisticLockingConflicts: found)
                }
                if found.contains(where: { $0.lost.contains(where: \.remains) }) { throw error }
            }
        }
    }

    private func attempt(_ notified: inout Set<ObjectIdentifier>) throws {
        // 1 Freeze: what is to be pushed, once willSave is quiet and delete rules were followed.
        let changes = try freeze(&notified)
        if changes.isEmpty { return adoptNothing(changes) }
        let (saved, notice) = try context.carryingOut {
            // 2 Look: whatever the parent has to load for this, before anything of it changes.
            let sources = try look(changes)
            // The parent takes all of it: a release that would drop a part waits.
            return try parent.changes.carryingOut {
                try parent.loading {
                    // 3 Compare: a property that both changed is a conflict.
                    try compare(changes, sources)
                    // 4 Validate: all errors at once.
                    try validate(changes)
                    // 5 Push: values, links and deletions become unsaved changes of the parent.
                    push(changes, sources)
                    // 6 Adopt: the keys of the parent, clean state.
                    return adopt(changes, sources)
                }
            }
        }
        // 7 Tell: the listeners, and the objects, now that the context is clean.
        try tell(notice, saved)
    }

    // MARK: The stages

    private func freeze(_ notified: inout Set<ObjectIdentifier>) throws -> Push {
        let push = try Push.frozen(context, &notified)
        try context.throwFailure()
        if !push.isEmpty, context.store.layouts.hasReadOnly {
            try ReadOnlyRows(context.layouts).check(push.changes)
        }
        return push
    }

    private func look(_ push: Push) throws -> PushSources {
        try parent.answering {
            try parent.loading(keeping: \.all) { try PushSources(push, context, parent) }
        }
    }

    private func compare(_ push: Push, _ sources: PushSources) throws {
        try PushConflicts(push, sources, context).check()
    }

    private func validate(_ push: Push) throws {
        try PushRules(push, context).check()
        try context.throwFailure()
        try context.changes.restartIfLate()
        try context.checkExpectedVersions()
    }

    private func push(_ push: Push, _ sources: PushSources) {
        PushApplication(push, sources, context, parent).apply()
    }

    private func adopt(_ push: Push, _ sources: PushSources) -> (saved: [ManagedObject], notice: SaveNotice?)
    {
        let told = (push.savedObjects, context.notice(of: push))
        context.adopt(push, sources)
        return told
    }

    private func adoptNothing(_ push: Push) {
        context.takeEvent()
        context.adoptUnchanged(push.changes, keepingVersions: true)
    }

    private func tell(_ notice: SaveNotice?, _ saved: [ManagedObject]) throws {
        if let notice { context.tell(notice) }
        for object in saved { object.didSave() }
        try parent.throwFailure()
    }
}
