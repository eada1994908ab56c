extension ManagedObjectContext {
    /// Merges what arrived while the context was not at work.
    func mergeInbox() throws { try recorder.mergeInbox(in: self) }

    /// Merges what arrived, if nothing else would have it merged; a failure becomes the context's.
    func mergeAtOnce() {
        guard recorder.mergesAtOnce, inbox != nil, !changes.isSaving, failure == nil else { return }
        do {
            try mergeInbox()
        } catch {
            noteFailure(error)
        }
    }

    /// Has the children merge what they received, if they do so at once.
    func mergeBelow() {
        for child in children.compactMap(\.context) { child.mergeAtOnce() }
    }
}
