import PQClient

extension SaveAttempts {
    /// Runs the save, and reports it if anything observes the store and there is anything to save.
    mutating func runObserved() throws {
        let events = context.store.events
        guard events.isOn else { return try run() }
        let start = MonotonicTime.now
        let span = events.begin(.save, if: context.hasChanges)
        do {
            try span.run { try run() }
        } catch {
            let shown = error.asCancellation
            report(MonotonicTime.now.nanoseconds(since: start), shown, to: events)
            span?.end(shown)
            throw error
        }
        report(MonotonicTime.now.nanoseconds(since: start), nil, to: events)
        span?.end(nil)
    }

    private func report(_ nanoseconds: Int64, _ error: (any Error)?, to events: StoreEvents) {
        // Nothing was there to be saved, unless a policy gave up all changes.
        if error == nil, stored == nil, attempts == 1 { return }
        let stored = self.stored ?? (0, 0, 0)
        let objects = stored.inserted + stored.updated + stored.deleted
        if error == nil, events.recordSave(nanoseconds, objects: objects) { return }
        events.emit(
            .save(
                .init(
                    duration: .nanoseconds(nanoseconds), insertedCount: stored.inserted,
                    updatedCount: stored.updated, deletedCount: stored.deleted, attempts: attempts,
                    error: error.map(ErrorContents.withoutObjects))))
    }

    /// Records the rows of a save, if anything observes the store.
    mutating func noteStored(_ receipt: SaveReceipt) {
        guard context.store.events.isOn, !receipt.settled.isEmpty else { return }
        let settled = receipt.settled
        stored = (
            settled.inserted.count, settled.updated.count,
            settled.deletedRows.values.reduce(0) { $0 + $1.count }
        )
    }

    /// Resolves a conflict, and reports it if anything observes the store.
    mutating func observingConflict(
        _ error: SaveError, _ resolve: (inout SaveAttempts) throws -> Void
    ) throws {
        let events = context.store.events
        let isConflict = [.conflict, .uniqueness, .referentialIntegrity].contains(error.code)
        guard events.isOn, isConflict else { return try resolve(&self) }
        var isResolved = false
        defer {
            let names = error.conflicts.map(\.entityName) + error.issues.map(\.entityName)
            let counts = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
            for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
                events.emit(
                    .conflict(
                        .init(entityName: name, code: error.code, count: count, isResolved: isResolved)))
            }
            if counts.isEmpty {
                events.emit(
                    .conflict(.init(entityName: nil, code: error.code, count: 1, isResolved: isResolved)))
            }
        }
        try resolve(&self)
        isResolved = true
    }
}
