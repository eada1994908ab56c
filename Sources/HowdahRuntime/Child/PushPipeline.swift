/// How a child's changes become unsaved changes of its parent: as a save, with the parent in place of the database.
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
            } catch let error as SaveError where error.code == .conflict {
                let found = context.changes.takeConflicts()
                guard context.mergePolicy.resolves, round < Self.roundLimit else { throw error }
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
        let changes = try context.freezeChanges(&notified)
        try context.throwFailure()
        let push = Push(changes, context)
        if push.isEmpty {
            context.takeEvent()
            return context.adoptUnchanged(changes)
        }
        if context.store.layouts.hasReadOnly { try ReadOnlyRows(context.layouts).check(changes) }

        let (saved, notice) = try carryOut(push)

        // 7 Tell: those who listen, and the objects, now that the context is clean.
        if let notice { context.tell(notice) }
        for object in saved { object.didSave() }
        try parent.throwFailure()
    }

    private func carryOut(_ push: Push) throws -> (saved: [ManagedObject], notice: SaveNotice?) {
        try context.changes.carryingOut {
            // 2 Look: whatever the parent has to load for this, before anything of it changes.
            let sources = try parent.answering {
                try parent.loading(keeping: \.all) { try PushSources(push, context, parent) }
            }

            // 3 Compare: a property that both changed is a conflict.
            try PushConflicts(push, sources, context).check()

            // 4 Validate: all errors at once.
            try PushRules(push, context).check()
            try context.throwFailure()

            // 5 Push, and 6 adopt. The parent takes all of it: whatever would let go of a part waits.
            return parent.changes.carryingOut {
                parent.loading {
                    PushApplication(push, sources, context, parent).apply()
                    let told = (push.savedObjects, context.notice(of: push))
                    context.adopt(push, sources)
                    return told
                }
            }
        }
    }
}
