import Synchronization

/// What contexts of one parent tell each other and those outside: which saves were committed.
final class StoreNotices: Sendable {
    let board = NoticeBoard<SaveNotice>()
    private let inboxes = Mutex<[ObjectIdentifier: MergeInbox]>([:])
    private let inboxCount = Atomic<Int>(0)

    /// Whether anybody is interested in saves of the context with that inbox; cheap where nobody is.
    func hasListeners(besides own: MergeInbox?) -> Bool {
        if board.hasListeners { return true }
        return inboxCount.load(ordering: .acquiring) > (own == nil ? 0 : 1)
    }

    func register(_ inbox: MergeInbox) {
        inboxes.withLock { inboxes in
            inboxes[ObjectIdentifier(inbox)] = inbox
            inboxCount.store(inboxes.count, ordering: .releasing)
        }
    }

    func unregister(_ inbox: MergeInbox) {
        inboxes.withLock { inboxes in
            inboxes[ObjectIdentifier(inbox)] = nil
            inboxCount.store(inboxes.count, ordering: .releasing)
        }
    }

    /// Has everybody read everything again.
    func tellEverything() {
        for inbox in inboxes.withLock({ Array($0.values) }) { inbox.addEverything() }
    }

    /// Tells everybody but the context that saved, which knows.
    func tell(_ notice: SaveNotice, besides own: MergeInbox?) {
        for inbox in inboxes.withLock({ Array($0.values) }) where inbox !== own { inbox.add(notice) }
        board.send(notice)
    }
}
