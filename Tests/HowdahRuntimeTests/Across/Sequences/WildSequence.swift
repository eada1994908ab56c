import Howdah
import HowdahModel
import SeededRandom

@testable import HowdahRuntime

/// A short random sequence of operations in a context of its own, over what the sequences before it stored.
///
/// What each operation should do is done to a ``WildGraph`` as well, and after each step the context is compared with it:
/// both ends of all relationships, values, orders, and that each number is one object.
struct WildSequence {
    enum Mode { case undo, propagating, plain }

    let context: ManagedObjectContext
    let container: PersistentContainer
    let store: WildStore
    var walk: WildWalk
    let mode: Mode
    /// Compared at each step, which loads everything; or at the end only, with much not loaded.
    let isWatched: Bool
    let stack = UndoStack()
    /// What the context should hold.
    var graph: WildGraph
    /// Every object there was, so that another one in place of it is seen.
    var objects: [Int: ManagedObject] = [:]
    var numbers: [ObjectIdentifier: Int] = [:]
    /// Deleted where only the save applies delete rules.
    var doomed: [Int] = []
    /// What undo and redo should lead to, and where in it the context is.
    var states: [WildGraph]
    var place = 0
    /// Whether the first of these states is that of a context without changes.
    var isPristine = true

    init(
        _ walk: WildWalk, in context: ManagedObjectContext, of container: PersistentContainer,
        store: WildStore
    ) {
        var walk = walk
        (self.context, self.container, self.store) = (context, container, store)
        mode = walk.random.pick([.undo, .undo, .undo, .propagating, .plain])
        isWatched = walk.random.chance(65)
        graph = walk.committed
        states = [walk.committed]
        self.walk = walk
    }

    mutating func run() throws {
        walk.trace.append("-- \(mode)\(isWatched ? ", watched" : "")")
        try begin()
        for _ in 0..<Int.random(in: 3...10, using: &walk.random) {
            try step()
            try endStep()
        }
        try finish()
    }

    private mutating func begin() throws {
        context.propagatesDeletesAtEndOfEvent = mode != .plain
        if mode == .undo { context.undoManager = stack }
        let isFetching = walk.random.chance(40)
        if isFetching { for kind in ["Item", "Box", "Seal"] { try _ = context.fetch(kind).map(\.objectID) } }
        for (number, id) in walk.ids.sorted(by: { $0.key < $1.key }) {
            let object =
                walk.random.chance(50) ? try context.existingObject(with: id) : context.object(with: id)
            remember(object, number)
        }
        guard graph.living.count < 5 else { return }
        for kind in [WildKind.box, .item, .item, .leaf, .box, .item, .seal] { create(kind) }
        try endStep()
    }

    private mutating func finish() throws {
        if mode == .undo, walk.random.chance(40) {
            let end = place
            while place > 0 { try undo() }
            try compare("the beginning")
            if walk.random.chance(30) { try save() }
            while place < end { try redo() }
        }
        if doomed.isEmpty { try compare("the end") }
        if walk.random.chance(70) {
            try repair()
            try save()
        }
    }

    private mutating func step() throws {
        switch Int.random(in: 0..<100, using: &walk.random) {
        case 0..<14 where place > 0: try undo()
        case 14..<22 where place < states.count - 1: try redo()
        case 22..<30:
            if walk.random.chance(60) { try repair() }
            try save()
        case 30..<32: try rollback()
        case 32..<38: try refresh()
        case 38..<42: try fetch()
        case 42..<46: try changeElsewhere()
        case 46..<49: try collide()
        case 49..<56: delete()
        default: for _ in 0..<Int.random(in: 1...3, using: &walk.random) { try change() }
        }
    }

    /// Ends the event: what changed is a step back, and nothing else is.
    mutating func endStep() throws {
        if mode != .plain {
            let depth = stack.undoCount
            context.processPendingChanges()
            if mode == .undo, stack.undoCount > depth {
                place += 1
                states.removeSubrange(place...)
                states.append(graph)
            } else if mode == .undo, !graph.isSame(as: states[place]) {
                throw WildFailure("a change that cannot be undone")
            }
        }
        try context.failure.map { throw $0 }
        try compareLinks("after a step")
        if isWatched, doomed.isEmpty { try compare("after a step") }
    }

    // MARK: Back and forth

    mutating func undo() throws {
        walk.trace.append("undo")
        walk.count("undo")
        guard context.undoManager?.canUndo == true else { throw WildFailure("nothing to undo") }
        context.undo()
        place -= 1
        graph = states[place]
        if isWatched { try compare("undo") }
        try compareLinks("undo")
        if place == 0, isPristine {
            walk.count("undo of everything")
            // What was set to what it was has no step, and counts as changed.
            guard context.links.isEmpty, context.insertedObjects.isEmpty, context.deletedObjects.isEmpty,
                !context.updatedObjects.contains(where: \.hasPersistentChangedValues)
            else { throw WildFailure("changes after an undo of everything") }
        }
    }

    mutating func redo() throws {
        walk.trace.append("redo")
        walk.count("redo")
        guard context.undoManager?.canRedo == true else { throw WildFailure("nothing to redo") }
        context.redo()
        place += 1
        graph = states[place]
        if isWatched { try compare("redo") }
        try compareLinks("redo")
    }

    private mutating func rollback() throws {
        walk.trace.append("rollback")
        walk.count("rollback")
        context.rollback()
        graph = walk.committed
        doomed = []
        forgetSteps()
        for number in objects.keys where !graph.isLiving(number) {
            if let object = objects.removeValue(forKey: number) { numbers[ObjectIdentifier(object)] = nil }
        }
        if context.hasChanges { throw WildFailure("changes after a rollback") }
    }

    mutating func forgetSteps() {
        stack.removeAllActions()
        states = [graph]
        place = 0
        isPristine = !context.hasChanges
    }

    mutating func remember(_ object: ManagedObject, _ number: Int) {
        objects[number] = object
        numbers[ObjectIdentifier(object)] = number
    }
}
