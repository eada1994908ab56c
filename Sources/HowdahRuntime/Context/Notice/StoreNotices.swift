import Synchronization

/// The notices of committed saves that contexts of one parent send to each other and to listeners.
final class StoreNotices: Sendable {
    let board = NoticeBoard<SaveNotice>()
    private let inboxes = Mutex<[ObjectIdentifier: MergeInbox]>([:])
    private let inboxCount = Atomic<Int>(0)

    /// Returns a Boolean value that indicates whether the saves of the context with that inbox have
    /// listeners.
    ///
    /// It is cheap if there are none.
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

    /// Makes all contexts read their objects again.
    func tellEverything() {
        for inbox in inboxes.withLock({ Array($0.values) }) { inbox.addEverything() }
    }

    /// Sends a notice to all contexts except the one that saved.
    func tell(_ notice: SaveNotice, besides own: MergeInbox?) {
        for inbox in inboxes.withLock({ Array($0.values) }) where inbox !== own { inbox.add(notice) }
        board.send(notice)
    }
}
