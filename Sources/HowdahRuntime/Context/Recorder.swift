/// The record of a context's changes for an undo and for listeners, and the saves received from other
/// contexts.
///
/// It also counts the runs of a child, and has the notices that children follow. It is a class with a stored
/// property for each state; ``Registry`` has the reason.
package final class Recorder {
    /// The changes since the last event ended; nil if no listener needs them, and while nothing is recorded.
    @exclusivity(unchecked) private(set) var event: ContextEvent?
    /// A Boolean value that indicates whether objects report their changes: for ``undo``, for listeners, or
    /// both.
    @exclusivity(unchecked) private(set) var isWatching = false
    /// The object that records changes for an undo, if there is one.
    @exclusivity(unchecked) private(set) var undo: (any UndoRecorder)?
    /// A Boolean value that indicates whether changes are being reverted; the reversal knows the former
    /// values.
    @exclusivity(unchecked) private(set) var isReverting = false

    /// The listeners of the context, created when the first one subscribes.
    @exclusivity(unchecked) private(set) var board: NoticeBoard<ContextNotice>?
    /// The listeners of the children that merge automatically, created when the first one does.
    @exclusivity(unchecked) private var below: StoreNotices?

    /// The saves of other contexts that are not merged yet; nil if they are not merged automatically.
    @exclusivity(unchecked) private(set) var inbox: MergeInbox?
    /// The merge of the contents of ``inbox``; nil without an inbox.
    private var takeIn: ((ManagedObjectContext, MergeInbox.Content) throws -> Void)?
    /// Makes the contents of ``inbox`` merge soon; nil in a context whose runs of `perform` merge them.
    @exclusivity(unchecked) private(set) var mergePromptly: (@Sendable () -> Void)?
    /// A Boolean value that indicates whether a child of the same isolation merges notices when they arrive.
    ///
    /// If it is false, its next run merges them.
    @exclusivity(unchecked) private(set) var mergesAtOnce = false
    /// The number of running runs of a child, one inside the other.
    @exclusivity(unchecked) private var runs = 0

    /// The observers that hear notices at once.
    private var observers: [WeakObserver] = []

    private struct WeakObserver {
        weak let observer: (any ContextObserver)?
    }

    var hasListeners: Bool {
        board?.hasListeners == true || observers.contains { $0.observer != nil }
    }

    // MARK: Events

    func noteInsertion(_ object: ManagedObject) { event?.noteInsertion(object) }

    func forgetInsertion(of object: ManagedObject) {
        undo?.forgetInsertion(of: object)
        // Released after the event was changed: the `deinit` of a class can read it.
        let written = event?.written(object)
        event?.forgetInsertion(of: object)
        withExtendedLifetime(written) {}
    }

    func noteDeletion(_ object: ManagedObject) { event?.noteDeletion(object) }

    func noteRefresh(of object: ManagedObject) { event?.noteRefresh(of: object) }

    func noteWrite(_ object: ManagedObject, _ slot: Int) {
        guard event?.lacksWrite(object, slot) == true else { return }
        // Read before the event changes: the program's `transformed()` runs here, and may change objects itself.
        let original = object.original(at: slot)
        event?.noteWrite(object, slot, original)
    }

    func noteListEdit(_ object: ManagedObject, _ state: _ToManyState) { event?.noteListEdit(object, state) }

    func noteLink(_ owner: ManagedObject, _ member: ManagedObject, slot: Int, isInsertion: Bool) {
        event?.noteLink(owner, member, slot: slot, isInsertion: isInsertion)
    }

    func dropLink(_ owner: ManagedObject, _ member: ManagedObject, slot: Int) {
        event?.dropLink(owner, member, slot: slot)
    }

    /// Returns a Boolean value that indicates whether a to-many's members are not recorded yet in the present
    /// event.
    func lacksList(_ object: ManagedObject, _ slot: Int) -> Bool { event?.hasList(object, slot) == false }

    /// Records the parts that a refresh is about to drop: the object's changes, and its places in ordered
    /// lists.
    func noteDrop(of object: ManagedObject) {
        guard event != nil else { return }
        for (slot, _) in object.changes?.originals ?? [] { noteWrite(object, slot) }
        dropAsRead(object)
        for (_, state) in object.editedLists where state.isLoaded { event?.noteListEdit(object, state) }
        for (slot, original) in object.changes?.originals ?? [] {
            guard case .toOne(let former) = original, object.layout.relationship(slot).inverseIsOrdered,
                let inverse = object.layout.relationship(slot).inverse
            else { continue }
            for owner in [former.object, object._toOneField(at: slot).object] {
                if let owner, let state = owner._toManyState(at: inverse) {
                    event?.noteListEdit(owner, state)
                }
            }
        }
    }

    /// Removes the records of an object's dropped changes whose former values were those read: there is
    /// nothing to undo.
    private func dropAsRead(_ object: ManagedObject) {
        guard let written = event?.written(object) else { return }
        let changes = object.changes?.originals ?? []
        let asRead = written.originals.filter { slot, original in
            let read = changes.first { $0.slot == slot }?.original ?? object.original(at: slot)
            return original.isSame(as: read)
        }
        event?.dropWrites(of: object, at: Set(asRead.map(\.slot)))
        withExtendedLifetime(written) {}
    }

    /// Begins another event, and returns the one that ends.
    func takeEvent() -> ContextEvent? {
        guard let taken = event else { return nil }
        event = ContextEvent()
        return taken
    }

    /// Drops the changes of the present event.
    func dropEvent() { _ = takeEvent() }

    /// Removes and returns the objects that were refreshed in the present event.
    func takeRefreshed() -> [ManagedObject] { event?.takeRefreshed() ?? [] }

    /// Runs `body` without recording changes.
    func unobserved(_ body: () -> Void) {
        let kept = event
        event = nil
        defer { if kept != nil { event = kept } }
        body()
    }

    /// Runs the reversal of events.
    func reverting(_ body: () -> Void) {
        let outer = isReverting
        isReverting = true
        defer { isReverting = outer }
        body()
    }

    // MARK: Undo and listeners

    func record(with undo: (any UndoRecorder)?) {
        let former = self.undo
        self.undo = undo
        withExtendedLifetime(former) {}
    }

    /// Begins or ends to record events if needed; true if that changed.
    func watchIfAsked() -> Bool {
        let isAsked = undo != nil || hasListeners
        guard isAsked != isWatching else { return false }
        isWatching = isAsked
        event = isAsked ? ContextEvent() : nil
        return true
    }

    /// Uses a board that was created before the context.
    func listen(at board: NoticeBoard<ContextNotice>?) { self.board = board }

    /// Returns the board of the listeners.
    func openBoard() -> NoticeBoard<ContextNotice> {
        let board = self.board ?? NoticeBoard()
        self.board = board
        return board
    }

    /// Sends a notice to the listeners, and then to the observers, which may change the context.
    func tell(_ notice: ContextNotice, in context: ManagedObjectContext) {
        board?.send(notice)
        if observers.isEmpty { return }
        observers.removeAll { $0.observer == nil }
        for observer in observers.compactMap(\.observer) { observer.hear(notice, in: context) }
    }

    /// Reports to the observers that anything in the store may have changed.
    func tellOfEverything(in context: ManagedObjectContext) {
        for observer in observers.compactMap(\.observer) { observer.hearOfEverything(in: context) }
    }

    /// Adds an observer, which it does not retain.
    func add(_ observer: any ContextObserver) { observers.append(WeakObserver(observer: observer)) }

    // MARK: Contexts above and below

    /// Returns the notices that children follow.
    func openBelow() -> StoreNotices {
        if let below { return below }
        let notices = StoreNotices()
        below = notices
        return notices
    }

    /// The notices that children follow, if one does.
    var followers: StoreNotices? { below.flatMap { $0.hasListeners(besides: nil) ? $0 : nil } }

    /// Begins to receive the saves of other contexts.
    func receive(
        in inbox: MergeInbox, by takeIn: @escaping (ManagedObjectContext, MergeInbox.Content) throws -> Void
    ) {
        self.inbox = inbox
        self.takeIn = takeIn
    }

    /// Stops receiving the saves of other contexts.
    func endReceiving() {
        inbox = nil
        takeIn = nil
    }

    /// Merges the notices since the last time.
    func mergeInbox(in context: ManagedObjectContext) throws {
        guard let inbox, let takeIn, let content = inbox.take() else { return }
        do {
            try takeIn(context, content)
        } catch {
            inbox.putBack()
            throw error
        }
    }

    /// Makes `wake` merge notices, which is called when one arrives.
    func mergePromptly(by wake: @escaping @Sendable () -> Void) { mergePromptly = wake }

    /// Makes notices merge when they arrive.
    func mergeAtOnce() { mergesAtOnce = true }

    /// Counts a run of a child; true if it is the outermost one.
    func beginRun() -> Bool {
        runs += 1
        return runs == 1
    }

    func endRun() { runs -= 1 }
}
