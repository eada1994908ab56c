/// Events that are undone together, oldest first.
struct UndoGroup {
    var events: [ContextEvent] = []
    var name = ""

    var isEmpty: Bool { events.allSatisfy(\.isEmpty) }
}
