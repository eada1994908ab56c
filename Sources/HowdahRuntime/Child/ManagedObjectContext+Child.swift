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

    /// The context at the upper end, which has the database.
    var root: ManagedObjectContext { parent?.root ?? self }

    /// Has the parent tell this child what becomes of its objects.
    func join() {
        guard let parent, !parent.children.contains(where: { $0.context === self }) else { return }
        parent.children.removeAll { $0.context == nil }
        parent.children.append(ChildReference(context: self))
        parent.join()
    }

    /// Runs `body` inside a unit of work of the root.
    func runAsChild<T>(_ body: (ManagedObjectContext) throws -> T) throws -> T {
        join()
        watchIfAsked()
        let isOutermost = recorder.beginRun()
        defer {
            recorder.endRun()
            failure = nil
        }
        let result: T
        do {
            if isOutermost { try mergeInbox() }
            result = try body(self)
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
        defer { failure = nil }
        let result = try body()
        try throwFailure()
        return result
    }

    // MARK: News

    /// Passes on what became of objects, to grandchildren too.
    func tellChildren(_ news: ParentNews) {
        for child in children.compactMap(\.context) {
            child.hear(news)
            child.tellChildren(news)
        }
    }

    private func hear(_ news: ParentNews) {
        for (root, keys) in news.keys {
            for (former, key) in keys {
                guard let object = registry.find(root: root, key: former) else { continue }
                if let known = registry.find(root: root, key: key) {
                    join(object, known)
                    continue
                }
                registry.rename(object, to: key)
            }
        }
        if !news.keys.isEmpty {
            renumberLists(news.keys)
            inbox?.rename { id in
                guard let root = store.layouts.layout(storedName: id.entityName)?.root,
                    let key = news.keys[root]?[id.key]
                else { return id }
                return ObjectID(storeIdentifier: id.storeIdentifier, entityName: id.entityName, key: key)
            }
        }
        for entry in news.versions {
            guard let object = registry.find(root: entry.root, key: entry.key), !object.isFault,
                object.version == entry.version - 1
            else { continue }
            object.version = entry.version
        }
    }

    /// Lists know the order that was read by the members' keys.
    private func renumberLists(_ keys: [Int: [Int64: Int64]]) {
        guard store.layouts.hasKeptLists else { return }
        for object in registry.all {
            for slot in object.layout.relationshipSlots {
                let relationship = object.layout.relationship(slot)
                guard relationship.isOrdered, let state = object._toManyState(at: slot),
                    let renamed = keys[layouts[relationship.destination].root]
                else { continue }
                state.numbers = Dictionary(
                    state.numbers.map { (renamed[$0] ?? $0, $1) }, uniquingKeysWith: { first, _ in first })
            }
        }
    }
}
