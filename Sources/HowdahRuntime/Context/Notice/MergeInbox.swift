import HowdahModel
import Synchronization

/// The saves of other contexts since a context was last at work.
final class MergeInbox: Sendable {
    /// The maximum number of recorded ids. Beyond it all objects are read again.
    static let capacity = 10_000

    /// The changes to merge.
    enum Content: Sendable {
        case notices([SaveNotice])
        case everything

        fileprivate var isEmpty: Bool {
            if case .notices(let notices) = self { notices.isEmpty } else { false }
        }
    }

    private struct State {
        /// A Boolean value that indicates whether the last content could not be merged.
        var isMarked = false
        var content = Content.notices([])
        var count = 0
    }

    private let state = Mutex(State())
    /// Makes the context merge soon; nil if its runs of `perform` do.
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

    /// Records that all objects must be read again.
    func addEverything() {
        let isFirst = state.withLock { state in
            defer { state.content = .everything }
            return state.content.isEmpty
        }
        if isFirst { wake?() }
    }

    /// Replaces ids in the notices by the objects' new ones.
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

    /// Returns and removes the content since the last time; nil if there is none.
    func take() -> Content? {
        state.withLock { state in
            guard !state.content.isEmpty else { return nil }
            defer { state = State() }
            return state.content
        }
    }

    /// Records that all objects must be read again, because the last content could not be merged.
    func putBack() {
        state.withLock { state in
            state.content = .everything
            state.isMarked = true
        }
    }

    /// A Boolean value that indicates whether content was put back and not taken since.
    var isMarked: Bool { state.withLock(\.isMarked) }

    /// Wakes the context again if there is content left.
    func remind() {
        if state.withLock({ !$0.content.isEmpty }) { wake?() }
    }
}
