/// What can be undone and redone in a context: the changes of its objects, in groups, across saves.
///
/// A context has none at first, because remembering costs memory and servers rarely go back. With one, each change is
/// kept with what was before, deletions show their effect at the end of each event (see
/// ``ManagedObjectContext/processPendingChanges()``), and objects that are deleted are loaded. All changes of an event
/// are one group: an event ends with `processPendingChanges()`, with a fetch that counts unsaved changes, with a
/// save, and with each run of `perform`.
///
/// ```
/// context.undoManager = UndoStack(levelsOfUndo: 50)
/// order.status = .shipped
/// context.undoManager?.setActionName("Ship Order")
/// context.undo()
/// ```
///
/// Source: `UndoManager` as Core Data uses it.
public final class UndoStack: UndoRecorder {
    private var undoGroups: [UndoGroup] = []
    private var redoGroups: [UndoGroup] = []
    /// The group that events go into; nil where each is one by itself.
    private var openGroup: UndoGroup?
    /// The name for the group that the present event becomes.
    private var pendingName = ""
    private var suspensions = 0
    private var graves = Graves()
    weak var context: ManagedObjectContext?

    /// How many groups are open, one inside the other.
    ///
    /// Source: `UndoManager.groupingLevel`.
    public private(set) var groupingLevel = 0

    /// Whether an undo is under way, as a hook may ask.
    public private(set) var isUndoing = false

    /// Whether a redo is under way, as a hook may ask.
    public private(set) var isRedoing = false

    /// How many groups are kept; the oldest are forgotten first; 0 for no limit.
    public var levelsOfUndo: Int { didSet { trim() } }

    /// Makes an empty stack, to be given to one context.
    public init(levelsOfUndo: Int = 0) { self.levelsOfUndo = levelsOfUndo }

    // MARK: Asking

    /// Whether there is something to undo.
    public var canUndo: Bool { !undoGroups.isEmpty || openGroup?.isEmpty == false || hasEvent }

    /// Whether there is something to redo: an undo, and no change since.
    public var canRedo: Bool { !redoGroups.isEmpty && !hasEvent }

    /// How many groups there are to undo; the present event is not among them.
    var undoCount: Int { undoGroups.count }

    /// Whether changes are remembered at the moment.
    public var isUndoRegistrationEnabled: Bool { suspensions == 0 }

    /// The name of what ``undo()`` would undo; empty where it has none.
    public var undoActionName: String {
        openGroup != nil || hasEvent ? pendingName : undoGroups.last?.name ?? ""
    }

    /// The name of what ``redo()`` would do again; empty where it has none.
    public var redoActionName: String { redoGroups.last?.name ?? "" }

    private var hasEvent: Bool { suspensions == 0 && context?.event?.isEmpty == false }

    // MARK: Grouping

    /// Begins a group that lasts until ``endUndoGrouping()``, over events, saves and runs of `perform`.
    ///
    /// What was changed before becomes a group of its own. Groups inside a group are undone with it.
    public func beginUndoGrouping() {
        if groupingLevel == 0 {
            endEvent()
            openGroup = UndoGroup()
        }
        groupingLevel += 1
    }

    /// Ends the group that was begun last; a group without changes leaves nothing.
    public func endUndoGrouping() {
        precondition(
            groupingLevel > 0, "No undo group is open. Call beginUndoGrouping() before endUndoGrouping().")
        if groupingLevel == 1 { endEvent() }
        groupingLevel -= 1
        guard groupingLevel == 0, let group = openGroup else { return }
        openGroup = nil
        push(group)
    }

    /// Names the present group, or the last one where nothing changed since; for menus.
    public func setActionName(_ name: String) {
        if openGroup != nil || hasEvent || undoGroups.isEmpty {
            pendingName = name
        } else {
            undoGroups[undoGroups.count - 1].name = name
        }
    }

    // MARK: Registration

    /// Has changes not remembered until ``enableUndoRegistration()``; what was changed before becomes a group.
    ///
    /// Calls may be nested.
    public func disableUndoRegistration() {
        endEvent()
        suspensions += 1
    }

    /// Has changes remembered again.
    public func enableUndoRegistration() {
        precondition(
            suspensions > 0,
            "Undo registration is not disabled. Call disableUndoRegistration() before enableUndoRegistration()."
        )
        endEvent()
        suspensions -= 1
    }

    /// Forgets all groups; what has changed stays changed.
    public func removeAllActions() {
        // Released after the stack was changed: the `deinit` of a class can read it.
        let former = (undoGroups, redoGroups, openGroup, graves)
        undoGroups = []
        redoGroups = []
        openGroup = groupingLevel > 0 ? UndoGroup() : nil
        pendingName = ""
        graves = Graves()
        let event = context?.takeEvent()
        withExtendedLifetime((former, event)) {}
    }

    // MARK: Undoing

    /// Takes back the last group; nothing happens where there is none.
    ///
    /// Sends no statement, except for what was made a fault since, and for what delete rules reach where a stored
    /// insertion is taken back. Objects that were deleted come back as the same
    /// objects with the same ids, where the deletion was saved as well: the next save stores them again, with a
    /// higher version. That save finds conflicts as any other does. A group that is open must be ended before.
    public func undo() {
        precondition(groupingLevel == 0, "An undo group is open. Call endUndoGrouping() before undo().")
        endEvent()
        guard let group = undoGroups.popLast() else { return }
        isUndoing = true
        defer { isUndoing = false }
        if let inverse = revert(group) { redoGroups.append(inverse) }
    }

    /// Does again what the last ``undo()`` took back; nothing happens where something else changed since.
    public func redo() {
        precondition(groupingLevel == 0, "An undo group is open. Call endUndoGrouping() before redo().")
        endEvent()
        guard let group = redoGroups.popLast() else { return }
        isRedoing = true
        defer { isRedoing = false }
        if let inverse = revert(group) { undoGroups.append(inverse) }
    }

    private func revert(_ group: UndoGroup) -> UndoGroup? {
        guard let context else { return nil }
        var reversal = EventReversal(context: context, graves: graves)
        for event in group.events.reversed() { reversal.revert(event) }
        graves = reversal.graves
        reversal.tell()
        let inverse = UndoGroup(events: [context.takeEvent()], name: group.name)
        return inverse
    }

    // MARK: What the context calls

    /// Makes what changed since the last event ended a group, or a part of the open one.
    func close(_ event: ContextEvent) {
        guard suspensions == 0, !event.isEmpty else { return }
        if openGroup != nil {
            openGroup?.events.append(event)
        } else {
            push(UndoGroup(events: [event]))
        }
    }

    /// Has nothing remembered while `body` runs, except by itself.
    func suspended<T>(_ body: () throws -> T) rethrows -> T {
        disableUndoRegistration()
        defer { enableUndoRegistration() }
        return try body()
    }

    /// Remembers the relationships of objects whose deletion was saved, before they lose them.
    func bury(_ objects: [ManagedObject]) {
        for object in objects { graves.dig(for: object) }
        graves.keep(mentionedIn: undoGroups + redoGroups + [openGroup].compactMap(\.self))
    }

    /// Has no action undo that an object was made, because its row was there before.
    func forgetInsertion(of object: ManagedObject) {
        func forget(_ group: inout UndoGroup) {
            for place in group.events.indices { group.events[place].forgetInsertion(of: object) }
        }
        for place in undoGroups.indices { forget(&undoGroups[place]) }
        for place in redoGroups.indices { forget(&redoGroups[place]) }
        if var group = openGroup {
            forget(&group)
            openGroup = group
        }
    }

    private func endEvent() { context?.processPendingChanges() }

    private func push(_ group: UndoGroup) {
        guard !group.isEmpty else { return }
        var group = group
        group.name = pendingName
        pendingName = ""
        undoGroups.append(group)
        let former = redoGroups
        redoGroups = []
        withExtendedLifetime(former) {}
        trim()
    }

    private func trim() {
        guard levelsOfUndo > 0, undoGroups.count > levelsOfUndo else { return }
        let former = Array(undoGroups.prefix(undoGroups.count - levelsOfUndo))
        undoGroups.removeFirst(former.count)
        withExtendedLifetime(former) {}
    }
}

@available(
    *, unavailable, message: "an undo stack cannot leave perform. Use it inside perform with its context"
)
extension UndoStack: Sendable {}
