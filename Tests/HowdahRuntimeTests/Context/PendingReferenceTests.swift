import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// The index of unsaved references that refreshes keep: it finds what a look at all objects finds, and looks at each once.
@Suite struct PendingReferenceTests {
    /// Random changes, refreshes, undos, saves and rollbacks; the index is asked at random moments.
    @Test func theIndexFindsWhatALookAtAllFinds() async throws {
        try await withTestStore(Garden.model()) { container in
            for seed in UInt64(1)...TestTier.choose(quick: 20, all: 60, nightly: 600) {
                let failure = try await container.newBackgroundContext().perform { context in
                    var walk = ReferenceWalk(seed: seed, context: context)
                    do {
                        return try walk.run(steps: 120)
                    } catch {
                        return "\(error)\n" + walk.trace.joined(separator: "\n")
                    }
                }
                if !failure.isEmpty {
                    Issue.record("seed \(seed): \(failure)")
                    return
                }
                try await container.perform { context in
                    for object in try context.fetch("Bed") + context.fetch("Plant") { context.delete(object) }
                    try context.save()
                }
            }
        }
    }

    private func withPlants(
        _ count: Int,
        _ body:
            @escaping @Sendable (ManagedObjectContext, _ bed: ManagedObject, [ManagedObject]) throws -> Void
    ) async throws {
        try await withTestStore(Garden.model()) { container in
            try await container.perform { context in
                let bed = context.insert("Bed")
                bed["number"] = 0
                for number in 1...count {
                    let plant = context.insert("Plant")
                    plant["number"] = number
                    plant["bed"] = bed
                }
                try context.save()
            }
            try await container.perform { context in
                let bed = try #require(try context.fetch("Bed").first)
                try body(context, bed, try context.fetch("Plant", sortedBy: .key("number")))
            }
        }
    }

    /// Each changed object is looked at once, however many are refreshed.
    @Test(arguments: [true, false])
    func refreshesOneByOneLookOnce(mergesChanges: Bool) async throws {
        try await withPlants(60) { context, _, plants in
            for plant in plants { plant["value"] = 7 }
            for plant in plants { try context.refresh(plant, mergeChanges: mergesChanges) }
            #expect(context.changes.referenceLooks == plants.count)
        }
    }

    /// What is changed between two refreshes is looked at by itself.
    @Test func changesBetweenRefreshesLookAtWhatChanged() async throws {
        try await withPlants(60) { context, _, plants in
            for plant in plants.prefix(30) { plant["value"] = 7 }
            for (first, second) in zip(plants.prefix(30), plants.suffix(30)) {
                context.refresh(first)
                second["parent"] = first
                first["favourite"] = second
            }
            context.refresh(plants[0])
            #expect(context.changes.referenceLooks == plants.count)
            #expect(plants[0].members(forKey: "children").objects == [plants[30]])
        }
    }

    /// So many changes that the index is made anew.
    @Test func aLongHistoryIsForgotten() async throws {
        try await withPlants(3) { context, _, plants in
            plants[0]["value"] = 7
            context.refresh(plants[1])
            #expect(context.changes.references != nil)
            for _ in 0..<1_100 {
                plants[0]["parent"] = plants[1]
                plants[0]["parent"] = plants[2]
            }
            #expect(context.changes.references == nil)
            context.refresh(plants[2])
            context.refresh(plants[1])
            #expect(plants[2].members(forKey: "children").objects == [plants[0]])
            #expect(plants[1].members(forKey: "children").isEmpty)
        }
    }

    @Test func relationshipsChangeBetweenRefreshes() async throws {
        try await withPlants(4) { context, bed, plants in
            plants[0]["parent"] = plants[3]
            context.refresh(plants[3])
            #expect(plants[3].members(forKey: "children").objects == [plants[0]])
            plants[1]["parent"] = plants[3]
            let new = context.insert("Plant")
            new["number"] = 9
            new["parent"] = plants[3]
            context.refresh(plants[3])
            #expect(Set(plants[3].members(forKey: "children").objects) == [plants[0], plants[1], new])
            plants[1]["parent"] = plants[2]
            plants[0]["parent"] = nil as ManagedObject?
            context.refresh(plants[3])
            context.refresh(plants[2])
            #expect(plants[3].members(forKey: "children").objects == [new])
            #expect(plants[2].members(forKey: "children").objects == [plants[1]])
            try context.save()
            context.refresh(plants[3])
            #expect(plants[3].members(forKey: "children").objects == [new])
            #expect(bed.orderedMembers(forKey: "plants").objects == plants)
        }
    }
}

/// One random walk; stops at the first difference and tells how it came about.
private struct ReferenceWalk {
    private var random: SeededGenerator
    private let context: ManagedObjectContext
    private var objects: [ManagedObject] = []
    private var lastNumber = 0
    private(set) var trace: [String] = []

    init(seed: UInt64, context: ManagedObjectContext) {
        random = SeededGenerator(seed: seed)
        self.context = context
    }

    private var living: [ManagedObject] { objects.filter { !$0.isDeleted && $0.managedObjectContext != nil } }

    /// Empty where all went well, else what differed after which steps.
    mutating func run(steps: Int) throws -> String {
        for _ in 0..<8 { create("Plant") }
        for _ in 0..<2 { create("Bed") }
        try context.save()
        if random.chance(50) { context.undoManager = UndoStack() }
        for _ in 0..<steps {
            try step()
            try context.failure.map { throw $0 }
            if random.chance(60), let text = difference() {
                return text + "\n" + trace.joined(separator: "\n")
            }
        }
        try save()
        return ""
    }

    private func difference() -> String? {
        for object in objects where object.managedObjectContext != nil {
            var seen: Set<[Int]> = []
            let all = (context.insertedObjects + context.updatedObjects).flatMap { other in
                other.layout.relationshipSlots.filter { other._toOneField(at: $0).object === object }
                    .map { [objects.firstIndex(of: other) ?? -1, $0] }
            }.filter { seen.insert($0).inserted }
            let found = context.pendingReferences(to: object).map {
                [objects.firstIndex(of: $0.object) ?? -1, $0.slot]
            }
            if found != all {
                return "to \(objects.firstIndex(of: object) ?? -1): found \(found), are \(all)"
            }
        }
        return nil
    }

    private mutating func create(_ entity: String) {
        lastNumber += 1
        let object = context.insert(entity)
        object["number"] = lastNumber
        objects.append(object)
        trace.append("new \(entity) \(objects.count - 1)")
    }

    private mutating func pick(_ entity: String) -> ManagedObject? {
        let all = living.filter { $0.entityName == entity }
        return all.isEmpty ? nil : random.pick(all)
    }

    private mutating func save() throws {
        trace.append("save")
        do {
            try context.save()
        } catch let error as SaveError where error.code == .uniqueness {
            // One end of a one-to-one that changed hands was refreshed: its row still leads there.
            context.rollback()
        }
    }

    private func place(_ object: ManagedObject?) -> Int { object.flatMap(objects.firstIndex(of:)) ?? -1 }

    private mutating func step() throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<6: create(random.chance(80) ? "Plant" : "Bed")
        case 6..<9:
            guard living.count > 5, let object = pick("Plant") else { return }
            trace.append("delete \(place(object))")
            context.delete(object)
            context.propagateDeletions()
        case 9..<18:
            guard let object = pick("Plant") else { return }
            trace.append("value of \(place(object))")
            object["value"] = Int.random(in: 0..<100, using: &random)
        case 18..<35:
            guard let object = random.chance(70) ? pick("Plant") : pick("Bed") else { return }
            trace.append("refresh \(place(object))")
            context.refresh(object)
        case 35..<42:
            guard let object = pick("Plant") else { return }
            trace.append("merge \(place(object))")
            try context.refresh(object, mergeChanges: true)
        case 42..<44:
            trace.append("refresh all")
            try context.refreshAllObjects()
        case 44..<46:
            trace.append("rollback")
            context.rollback()
        case 46..<50:
            try save()
        case 50..<55:
            guard let stack = context.undoManager else { return }
            context.processPendingChanges()
            trace.append("undo or redo")
            if stack.canUndo, random.chance(70) { context.undo() } else if stack.canRedo { context.redo() }
        case 55..<60:
            guard let object = pick("Plant") else { return }
            let key = random.pick(Garden.toOnes.keys.sorted())
            trace.append("read \(key) of \(place(object))")
            _ = object[key] as? ManagedObject
        case 60..<66:
            guard let bed = pick("Bed"), let plant = pick("Plant") else { return }
            trace.append("plants of \(place(bed)) and \(place(plant))")
            let plants = bed.orderedMembers(forKey: "plants")
            if random.chance(60) { plants.insert(plant, at: 0) } else { plants.remove(plant) }
        default:
            let key = random.pick(Garden.toOnes.keys.sorted() + ["dream"])
            guard let object = pick("Plant") else { return }
            let destination = random.chance(25) ? nil : pick(key == "bed" ? "Bed" : "Plant")
            trace.append("\(key) of \(place(object)) = \(place(destination))")
            object[key] = destination
        }
    }
}
