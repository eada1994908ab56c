/// The undo and redo actions of a context: the changes of its objects, in groups, across saves.
///
/// A context has none at first, because recording costs memory and servers rarely undo. With a stack, each
/// change is recorded with its former values. Deletions take effect at the end of each event (see
/// ``ManagedObjectContext/processPendingChanges()``), and deleted objects are loaded.
///
/// All changes of an event are one group. An event ends with `processPendingChanges()`, with a fetch that
/// counts unsaved changes, with a save, and with each run of `perform`.
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
    /// The group that receives events; nil if each event is a group.
    private var openGroup: UndoGroup?
    /// The name for the group of the present event.
    private var pendingName = ""
    private var suspensions = 0
    private var deletedRelationships = DeletedRelationships()
    weak var context: ManagedObjectContext?

    /// The number of open groups, one inside the other.
    ///
    /// Source: `UndoManager.groupingLevel`.
    public private(set) var groupingLevel = 0

    /// A Boolean value that indicates whether an undo is running, for hooks.
    public private(set) var isUndoing = false

    /// A Boolean value that indicates whether a redo is running, for hooks.
    public private(set) var isRedoing = false

    /// The maximum number of groups; the oldest are dropped first; 0 for no limit.
    public var levelsOfUndo: Int { didSet { trim() } }

    /// Creates an empty stack for one context.
    public init(levelsOfUndo: Int = 0) { self.levelsOfUndo = levelsOfUndo }

    // MARK: Asking

    /// A Boolean value that indicates whether there is a group to undo.
    public var canUndo: Bool { !undoGroups.isEmpty || openGroup?.isEmpty == false || hasEvent }

    /// A Boolean value that indicates whether there is a group to redo: an undo, and no change since.
    public var canRedo: Bool { !redoGroups.isEmpty && !hasEvent }

    /// The number of groups to undo, without the present event.
    var undoCount: Int { undoGroups.count }

    /// A Boolean value that indicates whether changes are recorded at the moment.
    public var isUndoRegistrationEnabled: Bool { suspensions == 0 }

    /// The name of the group that ``undo()`` would undo; empty if it has none.
    public var undoActionName: String {
        openGroup != nil || hasEvent ? pendingName : undoGroups.last?.name ?? ""
    }

    /// The name of the group that ``redo()`` would repeat; empty if it has none.
    public var redoActionName: String { redoGroups.last?.name ?? "" }

    private var hasEvent: Bool { suspensions == 0 && context?.event?.isEmpty == false }

    // MARK: Grouping

    /// Begins a group that lasts until ``endUndoGrouping()``, over events, saves and runs of `perform`.
    ///
    /// Earlier changes become a separate group. Groups inside a group are undone with it.
    public func beginUndoGrouping() {
        if groupingLevel == 0 {
            endEvent()
            openGroup = UndoGroup()
        }
        groupingLevel += 1
    }

    /// Ends the group that you began last. A group without changes is dropped.
    ///
    /// A call without an open group traps.
    public func endUndoGrouping() {
        precondition(
            groupingLevel > 0, "No undo group is open. Call beginUndoGrouping() before endUndoGrouping().")
        if groupingLevel == 1 { endEvent() }
        groupingLevel -= 1
        guard groupingLevel == 0, let group = openGroup else { return }
        openGroup = nil
        push(group)
    }

    /// Names the present group, or the last one if nothing changed since; for menus.
    public func setActionName(_ name: String) {
        if openGroup != nil || hasEvent || undoGroups.isEmpty {
            pendingName = name
        } else {
            undoGroups[undoGroups.count - 1].name = name
        }
    }

    // MARK: Registration

    /// Stops recording changes until ``enableUndoRegistration()``; earlier changes become a group.
    ///
    /// You can nest calls.
    public func disableUndoRegistration() {
        endEvent()
        suspensions += 1
    }

    /// Records changes again. A call without ``disableUndoRegistration()`` traps.
    public func enableUndoRegistration() {
        precondition(
            suspensions > 0,
            "Undo registration is not disabled. Call disableUndoRegistration() before enableUndoRegistration()."
        )
        endEvent()
        suspensions -= 1
    }

    /// Drops all groups; the changes themselves stay.
    public func removeAllActions() {
        // Released after the stack was changed: the `deinit` of a class can read it.
        let former = (undoGroups, redoGroups, openGroup, deletedRelationships)
        undoGroups = []
        redoGroups = []
        openGroup = groupingLevel > 0 ? UndoGroup() : nil
        pendingName = ""
        deletedRelationships = DeletedRelationships()
        let event = context?.takeEvent()
        withExtendedLifetime((former, event)) {}
    }

    // MARK: Undoing

    /// Reverts the last group; if there is none, nothing happens. If a group is open, the call traps.
    ///
    /// It sends statements only for objects that became faults since, and for those that delete rules reach
    /// if it reverts a stored insertion. Deleted objects return as the same objects with the same ids. If the
    /// deletion was saved too, the next save stores them again, with a higher version. That save finds
    /// conflicts as any other.
    public func undo() {
        precondition(groupingLevel == 0, "An undo group is open. Call endUndoGrouping() before undo().")
        endEvent()
        guard let group = undoGroups.popLast() else { return }
        isUndoing = true
        defer { isUndoing = false }
        if let inverse = revert(group) { redoGroups.append(inverse) }
    }

    /// Repeats the changes that the last ``undo()`` reverted. If there were other changes since, nothing
    /// happens.
    ///
    /// If a group is open, the call traps.
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
        var reversal = EventReversal(context: context, deletedRelationships: deletedRelationships)
        for event in group.events.reversed() { reversal.revert(event) }
        deletedRelationships = reversal.deletedRelationships
        reversal.tell()
        let inverse = UndoGroup(events: [context.takeEvent()], name: group.name)
        return inverse
    }

    // MARK: What the context calls

    /// Makes the changes since the last event a group, or a part of the open one.
    func close(_ event: ContextEvent) {
        guard suspensions == 0, !event.isEmpty else { return }
        if openGroup != nil {
            openGroup?.events.append(event)
        } else {
            push(UndoGroup(events: [event]))
        }
    }

    /// Runs `body` without recording changes, except those that it records itself.
    func suspended<T>(_ body: () throws -> T) rethrows -> T {
        disableUndoRegistration()
        defer { enableUndoRegistration() }
        return try body()
    }

    /// Records the relationships of objects whose deletion was saved, before they lose them.
    func bury(_ objects: [ManagedObject]) {
        for object in objects { deletedRelationships.add(object) }
        deletedRelationships.keep(mentionedIn: undoGroups + redoGroups + [openGroup].compactMap(\.self))
    }

    /// Removes the insertion of an object from all groups, because its row existed before.
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
    *, unavailable,
    message: "an undo stack cannot leave perform. Use the stack only in the perform of its context"
)
extension UndoStack: Sendable {}
