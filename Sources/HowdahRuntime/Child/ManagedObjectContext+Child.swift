import HowdahModel

extension ManagedObjectContext {
    /// Creates a child context, which reads the objects of this one, unsaved changes included.
    ///
    /// Its saves make their changes unsaved changes of this context. If you release it, its changes are
    /// dropped.
    ///
    /// It has the isolation of its parent: the main actor for a view context's child, otherwise the body of
    /// `perform`. If a child must outlive the body, use ``BackgroundContext/newChildContext()``. It costs
    /// nothing before its first use. Its merge policy is ``MergePolicy/error`` at first. See
    /// `docs/child-contexts.md`.
    ///
    /// Source: Core Data's `parent`.
    public func newChildContext() -> ManagedObjectContext {
        let child = ManagedObjectContext(parent: self)
        child.recorder.mergeAtOnce()
        child.join()
        return child
    }

    /// Registers the child with its parent, which then reports changes of its objects.
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

    /// Runs `body` for a child, and throws the error of a fault that could not be filled in it.
    ///
    /// The error belongs to the child, so this context does not keep it.
    func answering<T>(_ body: () throws -> T) throws -> T {
        try throwFailure()
        defer { forgetFailure() }
        let result = try body()
        try throwFailure()
        return result
    }
}
