import HowdahModel
import Synchronization

/// What other contexts saved since a context was last at work.
final class MergeInbox: Sendable {
    /// More ids than this are not kept: everything is read again instead.
    private static let capacity = 10_000

    /// What is to be merged.
    enum Content: Sendable {
        case notices([SaveNotice])
        case everything

        fileprivate var isEmpty: Bool {
            if case .notices(let notices) = self { notices.isEmpty } else { false }
        }
    }

    private struct State {
        /// Whether what was taken could not be merged.
        var isMarked = false
        var content = Content.notices([])
        var count = 0
    }

    private let state = Mutex(State())
    /// Has the context take what is here soon; nil where it looks by itself.
    private let wake: (@Sendable () -> Void)?

    init(wake: (@Sendable () -> Void)? = nil) { self.wake = wake }

    func add(_ notice: SaveNotice) {
        let isFirst = state.withLock { state in
            let isFirst = state.content.isEmpty
            guard case .notices(var notices) = state.content else { return isFirst }
            // Appended in place: two references would have the array copied each time.
            state.content = .everything
            state.count += 1 + notice.count
            if state.count <= Self.capacity {
                notices.append(notice)
                state.content = .notices(notices)
            }
            return isFirst
        }
        if isFirst { wake?() }
    }

    /// Has everything read again.
    func addEverything() {
        let isFirst = state.withLock { state in
            defer { state.content = .everything }
            return state.content.isEmpty
        }
        if isFirst { wake?() }
    }

    /// Gives the objects that notices are about their new ids.
    func rename(_ id: (ObjectID<ManagedObject>) -> ObjectID<ManagedObject>) {
        state.withLock { state in
            guard case .notices(let notices) = state.content, !notices.isEmpty else { return }
            state.content = .notices(
                notices.map { notice in
                    SaveNotice(
                        inserted: notice.insertedObjectIDs.map(id), updated: notice.updatedObjectIDs.map(id),
                        deleted: notice.deletedObjectIDs.map(id))
                })
        }
    }

    /// What came since the last time; nil where that is nothing.
    func take() -> Content? {
        state.withLock { state in
            guard !state.content.isEmpty else { return nil }
            defer { state = State() }
            return state.content
        }
    }

    /// Has the next one who looks read everything again, because what was taken could not be merged.
    func putBack() {
        state.withLock { state in
            state.content = .everything
            state.isMarked = true
        }
    }

    /// Whether something was put back and not taken since.
    var isMarked: Bool { state.withLock(\.isMarked) }

    /// Wakes the context again where something is left.
    func remind() {
        if state.withLock({ !$0.content.isEmpty }) { wake?() }
    }
}
