import Synchronization

/// The notices of committed saves that contexts of one parent send to each other and to listeners.
final class StoreNotices: Sendable {
    let board = NoticeBoard<SaveNotice>()
    private let inboxes = Mutex<[ObjectIdentifier: MergeInbox]>([:])
    private let inboxCount = Atomic<Int>(0)
    private let following = Mutex<(@Sendable (Bool) -> Void)?>(nil)

    /// Returns a Boolean value that indicates whether the saves of the context with that inbox have
    /// listeners.
    ///
    /// It is cheap if there are none.
    func hasListeners(besides own: MergeInbox?) -> Bool {
        if board.hasListeners { return true }
        return inboxCount.load(ordering: .acquiring) > (own == nil ? 0 : 1)
    }

    /// Indicates whether a context merges automatically.
    var isFollowed: Bool { inboxCount.load(ordering: .acquiring) > 0 }

    /// Calls `body` with true when the first context begins to follow, and with false when the last one ends.
    func whenFollowed(_ body: @escaping @Sendable (Bool) -> Void) { following.withLock { $0 = body } }

    func register(_ inbox: MergeInbox) { change { $0[ObjectIdentifier(inbox)] = inbox } }

    func unregister(_ inbox: MergeInbox) { change { $0[ObjectIdentifier(inbox)] = nil } }

    private func change(_ body: (inout [ObjectIdentifier: MergeInbox]) -> Void) {
        let (former, present) = inboxes.withLock { inboxes in
            let former = inboxes.count
            body(&inboxes)
            inboxCount.store(inboxes.count, ordering: .releasing)
            return (former, inboxes.count)
        }
        if (former == 0) != (present == 0) { following.withLock(\.self)?(present > 0) }
    }

    /// Makes all contexts read their objects again.
    func tellEverything() {
        for inbox in inboxes.withLock({ Array($0.values) }) { inbox.addEverything() }
    }

    /// Sends a notice of another process to all contexts. Listeners of this container's saves do not get it.
    func tellOthersWork(_ notice: SaveNotice) {
        for inbox in inboxes.withLock({ Array($0.values) }) { inbox.add(notice) }
    }

    /// Sends a notice to all contexts except the one that saved.
    func tell(_ notice: SaveNotice, besides own: MergeInbox?) {
        for inbox in inboxes.withLock({ Array($0.values) }) where inbox !== own { inbox.add(notice) }
        board.send(notice)
    }
}
