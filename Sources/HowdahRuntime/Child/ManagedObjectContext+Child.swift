import HowdahModel

extension ManagedObjectContext {
    /// A new context that reads what this one holds, unsaved changes included, and whose saves make their changes
    /// unsaved changes of this one; dropping it drops its changes.
    ///
    /// It belongs to the same isolation: the main actor's for a view context's child, the body of `perform` else. For
    /// a child that outlives the body, see ``BackgroundContext/newChildContext()``. Costs nothing until it is used;
    /// its merge policy is ``MergePolicy/error`` at first. See `docs/child-contexts.md`.
    ///
    /// Source: Core Data's `parent`.
    public func newChildContext() -> ManagedObjectContext {
        let child = ManagedObjectContext(parent: self)
        child.recorder.mergeAtOnce()
        child.join()
        return child
    }

    /// Has the parent tell this child what becomes of its objects.
    func join() {
        guard let parent, parent.addChild(self) else { return }
        parent.join()
    }

    /// Runs `body` inside a unit of work of the root.
    func runAsChild<T>(_ body: () throws -> T) throws -> T {
        join()
        watchIfAsked()
        let isOutermost = recorder.beginRun()
        defer {
            recorder.endRun()
            forgetFailure()
        }
        let result: T
        do {
            if isOutermost { try mergeInbox() }
            result = try body()
            endEvent()
        } catch {
            let cause = failure ?? error
            endEvent()
            throw cause
        }
        try throwFailure()
        return result
    }

    /// Runs `body`, and throws the fault of this context that could not be filled meanwhile, without keeping it: it is
    /// the child's that asked.
    func answering<T>(_ body: () throws -> T) throws -> T {
        try throwFailure()
        defer { forgetFailure() }
        let result = try body()
        try throwFailure()
        return result
    }
}
