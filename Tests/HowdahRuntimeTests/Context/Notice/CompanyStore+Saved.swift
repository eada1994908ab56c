import Howdah

@testable import HowdahRuntime

extension CompanyStore {
    /// What the container tells of another context's saving of `changes`.
    @discardableResult
    func saved(_ changes: @escaping @Sendable (ManagedObjectContext) throws -> Void) throws -> SaveNotice {
        let inbox = MergeInbox()
        container.store.notices.register(inbox)
        defer { container.store.notices.unregister(inbox) }
        try fresh { context in
            try changes(context)
            try context.save()
        }
        guard case .notices(let notices) = inbox.take(), notices.count == 1 else { return SaveNotice() }
        return notices[0]
    }

    /// What a context of its own makes of the store.
    @discardableResult
    func fresh<T: Sendable>(
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> T
    ) throws -> T {
        try container.newBackgroundContext().performAndWait(body)
    }
}
