import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Random changes of a graph with undo, redo, saves and refreshes in between: each undo gives the graph of before, each
/// redo the one of after, undoing everything gives the first one, and after a save the store has what memory has.
@Suite struct UndoWalkTests {
    /// Watched at each step, which loads everything; and watched at the end only, with much not loaded.
    @Test(arguments: [true, false])
    func backAndForth(isWatched: Bool) async throws {
        try await withTestStore(Garden.model()) { container in
            var failures = 0
            for seed in UInt64(1)...TestTier.choose(quick: 8, all: 100, nightly: 300) {
                let failure = try await container.newBackgroundContext().perform { context in
                    var walk = UndoWalk(
                        seed: seed, context: context, container: container, isWatched: isWatched)
                    do {
                        return try walk.run(steps: TestTier.isNightly ? 40 : 25)
                    } catch {
                        return "\(error)\n" + walk.trace.joined(separator: "\n")
                    }
                }
                if !failure.isEmpty {
                    Issue.record("seed \(seed), watched \(isWatched): \(failure)")
                    failures += 1
                    if failures > 4 { return }
                }
                try await container.perform { context in
                    for object in try context.fetch("Bed") + context.fetch("Plant") { context.delete(object) }
                    try context.save()
                }
            }
        }
    }
}

/// One random walk; stops at the first difference and tells how it came about.
struct UndoWalk {
    private var random: SeededGenerator
    private let context: ManagedObjectContext
    private let container: PersistentContainer
    private let stack = UndoStack()
    private let isWatched: Bool
    /// Every object there ever was, so that an undo that brings another one in place of it is seen.
    private var objects: [ManagedObject] = []
    private var lastNumber = 0
    /// The graph between the groups, and where in it we are.
    private var states: [[String]] = []
    private var place = 0
    private(set) var trace: [String] = []

    init(seed: UInt64, context: ManagedObjectContext, container: PersistentContainer, isWatched: Bool) {
        random = SeededGenerator(seed: seed)
        self.context = context
        self.container = container
        self.isWatched = isWatched
    }

    /// Empty where all went well, else what differed after which steps.
    mutating func run(steps: Int) throws -> String {
        context.propagatesDeletesAtEndOfEvent = true
        for _ in 0..<7 { create(random.pick(["Plant", "Tree"])) }
        for _ in 0..<3 { create("Bed") }
        for _ in 0..<25 { change() }
        try context.save()
        let ids = living.map { $0.objectID as ObjectID<ManagedObject> }
        objects = []
        context.reset()
        context.undoManager = stack
        objects = try ids.map { try context.existingObject(with: $0) }
        trace.append("-- start")
        states = [isWatched ? present() : try Garden.stored(container)]
        for _ in 0..<steps {
            try step()
            try context.failure.map { throw $0 }
        }
        return try finish()
    }

    private mutating func finish() throws -> String {
        context.processPendingChanges()
        let last = present()
        while stack.canUndo {
            trace.append("undo")
            context.undo()
        }
        if let text = difference(states[0], transient: isWatched) { return report("start", text) }
        if random.chance(50), let text = try save(transient: false) { return report("save", text) }
        while stack.canRedo {
            trace.append("redo")
            context.redo()
        }
        if isWatched, let text = difference(states[states.count - 1], transient: true) {
            return report("end", text)
        }
        if !isWatched, place == states.count - 1, let text = difference(last, transient: false) {
            return report("end", text)
        }
        if let text = try save(transient: false) { return report("save", text) }
        try context.failure.map { throw $0 }
        return ""
    }

    private func report(_ what: String, _ difference: String) -> String {
        "\(what): \(difference)\n" + trace.joined(separator: "\n")
    }

    private mutating func step() throws {
        let depth = stack.undoCount
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<20 where stack.canUndo:
            trace.append("undo")
            context.undo()
            place -= 1
            return try check()
        case 20..<32 where stack.canRedo:
            trace.append("redo")
            context.redo()
            place += 1
            return try check()
        case 32..<40:
            if let text = try save(transient: false) { throw Difference(text: text) }
            return try check()
        case 40..<44: refresh()
        case 44..<54:
            context.undoManager?.beginUndoGrouping()
            for _ in 0..<3 {
                change()
                if random.chance(50) { context.processPendingChanges() }
            }
            context.undoManager?.endUndoGrouping()
        default: for _ in 0..<Int.random(in: 1...3, using: &random) { change() }
        }
        context.processPendingChanges()
        if stack.undoCount == depth { return try check() }
        place += 1
        states.removeSubrange(place...)
        states.append(isWatched ? present() : [])
    }

    private func check() throws {
        if isWatched, let text = difference(states[place], transient: true) { throw Difference(text: text) }
    }

    private mutating func save(transient: Bool) throws -> String? {
        trace.append("save")
        try context.save()
        let (stored, present) = (try Garden.stored(container), lines(transient: false))
        return stored == present ? nil : text(stored, present)
    }

    // MARK: Changes

    private mutating func pick(_ entity: String) -> ManagedObject? {
        let all = living.filter { (entity == "Bed") == ($0.entityName == "Bed") }
        return all.isEmpty ? nil : random.pick(all)
    }

    private func name(_ object: ManagedObject?) -> String {
        object.map { "\($0.entityName)\($0["number"] ?? 0)" } ?? "nil"
    }

    private mutating func create(_ entity: String) {
        lastNumber += 1
        let object = context.insert(entity)
        object["number"] = lastNumber
        objects.append(object)
        trace.append("new \(name(object))")
    }

    private mutating func change() {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<10: create(random.pick(["Plant", "Tree", "Bed"]))
        case 10..<18:
            guard living.count > 4, let object = pick(random.chance(30) ? "Bed" : "Plant") else { return }
            trace.append("delete \(name(object))")
            context.delete(object)
            // What is deleted must not be changed before the rules were applied to it.
            context.propagateDeletions()
        case 18..<28:
            guard let object = pick("Plant") else { return }
            let number = Int.random(in: 0..<100, using: &random)
            let key = random.pick(["value", "note", "tags", "mood"])
            trace.append("\(key) of \(name(object)) = \(number)")
            object[key] = key == "value" ? number as Any : key == "tags" ? ["\(number)"] : "\(number)"
        case 28..<55: setToOne()
        case 55..<75: changeMembers()
        default: changeOrdered()
        }
    }

    private mutating func setToOne() {
        let key = random.pick(Garden.toOnes.keys.sorted() + (isWatched ? ["dream"] : []))
        guard let object = pick("Plant") else { return }
        let destination = random.chance(25) ? nil : pick(key == "bed" ? "Bed" : "Plant")
        trace.append("\(key) of \(name(object)) = \(name(destination))")
        object[key] = destination
    }

    private mutating func changeMembers() {
        let isBed = random.chance(20)
        let key = isBed ? "sampled" : random.pick(Garden.plain)
        guard let object = pick(isBed ? "Bed" : "Plant"),
            let member = pick(["beds", "shows"].contains(key) ? "Bed" : "Plant")
        else { return }
        let inserts = random.chance(65)
        trace.append("\(inserts ? "insert" : "remove") \(name(member)) in \(key) of \(name(object))")
        let members = object.members(forKey: key)
        if inserts { members.insert(member) } else { members.remove(member) }
    }

    private mutating func changeOrdered() {
        let isBed = random.chance(75)
        let key = isBed ? random.pick(Garden.ordered) : "rivals"
        guard let object = pick(isBed ? "Bed" : "Plant"), let member = pick("Plant") else { return }
        let list = object.orderedMembers(forKey: key)
        let what = Int.random(in: 0..<4, using: &random)
        switch what {
        case 0: list.append(member)
        case 1: list.insert(member, at: random.chance(50) ? 0 : list.count)
        case 2: list.remove(member)
        default: list.replace(with: Array(list).shuffled(using: &random))
        }
        trace.append(
            "\(["append", "insert", "remove", "shuffle"][what]) \(name(member)) in \(key) of \(name(object))")
    }

    /// A change of a one-to-one is half in another object's row, and would be dropped by half.
    private mutating func refresh() {
        let changed = living.flatMap(\.changedPropertyNames)
        guard context.deletedObjects.isEmpty, let object = pick("Plant"), !object.isInserted,
            changed.allSatisfy({ !["twin", "spouse"].contains($0) }),
            object.members(forKey: "dreamers").isEmpty, object["dream"] == nil, object["mood"] == nil
        else { return }
        trace.append("refresh \(name(object))")
        context.refresh(object)
    }

    // MARK: Comparison

    private var living: [ManagedObject] { objects.filter { !$0.isDeleted && $0.managedObjectContext != nil } }

    private func lines(transient: Bool) -> [String] {
        living.map { Garden.line($0, transient: transient) }.sorted()
    }

    private func present() -> [String] { lines(transient: isWatched) }

    private func difference(_ expected: [String], transient: Bool) -> String? {
        let found = present()
        return found == expected ? nil : text(expected, found)
    }

    private func text(_ expected: [String], _ found: [String]) -> String {
        let lost = expected.filter { !found.contains($0) }
        let extra = found.filter { !expected.contains($0) }
        return "expected\n  \(lost.joined(separator: "\n  "))\nfound\n  \(extra.joined(separator: "\n  "))"
    }

    private struct Difference: Error, CustomStringConvertible {
        let text: String
        var description: String { text }
    }
}
