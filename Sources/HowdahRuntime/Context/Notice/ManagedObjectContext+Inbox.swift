extension ManagedObjectContext {
    /// Merges the notices that arrived while the context was not at work.
    func mergeInbox() throws { try recorder.mergeInbox(in: self) }

    /// Merges the notices that arrived, in a child that merges at once. An error becomes the context's
    /// failure.
    func mergeAtOnce() {
        guard recorder.mergesAtOnce, inbox != nil, !changes.isSaving, failure == nil else { return }
        do {
            try mergeInbox()
        } catch {
            noteFailure(error)
        }
    }

    /// Merges the received notices in the children that merge at once.
    func mergeBelow() {
        for child in children.compactMap(\.context) { child.mergeAtOnce() }
    }
}
