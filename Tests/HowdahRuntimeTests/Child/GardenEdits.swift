import Howdah
import HowdahTesting
import TestSupport

@testable import HowdahRuntime

/// Random changes of a garden by the numbers of its objects, so that the same seed does the same in any context.
struct GardenEdits {
    private var random: SeededGenerator
    private var lastNumber = 0
    /// The objects of the present context, by number; those that are deleted are not among them.
    private(set) var objects: [Int: ManagedObject] = [:]
    private(set) var trace: [String] = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func chance(_ percent: Int) -> Bool { random.chance(percent) }
    mutating func next(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    /// Makes the same graph for each seed.
    mutating func plant(in context: ManagedObjectContext) throws {
        for _ in 0..<7 { create(random.pick(["Plant", "Tree"]), context) }
        for _ in 0..<3 { create("Bed", context) }
        for _ in 0..<25 { change(context) }
        try context.save()
        trace.append("-- start")
    }

    /// Goes on with another context's objects of the same ids.
    mutating func move(to context: ManagedObjectContext) throws {
        objects = try objects.mapValues { object in
            let id: ObjectID<ManagedObject> = object.objectID
            return try context.existingObject(with: id)
        }
    }

    mutating func note(_ line: String) { trace.append(line) }

    private mutating func pick(_ entity: String) -> ManagedObject? {
        let all = objects.sorted { $0.key < $1.key }.map(\.value)
            .filter { (entity == "Bed") == ($0.entityName == "Bed") }
        return all.isEmpty ? nil : random.pick(all)
    }

    private func name(_ object: ManagedObject?) -> String {
        object.map { "\($0.entityName)\($0["number"] ?? 0)" } ?? "nil"
    }

    private mutating func create(_ entity: String, _ context: ManagedObjectContext) {
        lastNumber += 1
        let object = context.insert(entity)
        object["number"] = lastNumber
        objects[lastNumber] = object
        trace.append("new \(name(object))")
    }

    mutating func change(_ context: ManagedObjectContext) {
        switch next(0..<100) {
        case 0..<10: create(random.pick(["Plant", "Tree", "Bed"]), context)
        case 10..<18:
            guard objects.count > 4, let object = pick(random.chance(30) ? "Bed" : "Plant") else { return }
            trace.append("delete \(name(object))")
            context.delete(object)
            context.propagateDeletions()
            objects = objects.filter { !$1.isDeleted }
        case 18..<30:
            guard let object = pick("Plant") else { return }
            let number = next(0..<100)
            let key = random.pick(["value", "note", "tags"])
            trace.append("\(key) of \(name(object)) = \(number)")
            object[key] = key == "value" ? number as Any : key == "tags" ? ["\(number)"] : "\(number)"
        case 30..<55:
            let key = random.pick(Garden.toOnes.keys.sorted())
            guard let object = pick("Plant") else { return }
            let destination = random.chance(25) ? nil : pick(key == "bed" ? "Bed" : "Plant")
            trace.append("\(key) of \(name(object)) = \(name(destination))")
            object[key] = destination
        case 55..<75: changeMembers()
        default: changeOrdered()
        }
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
        let what = next(0..<4)
        switch what {
        case 0: list.append(member)
        case 1: list.insert(member, at: random.chance(50) ? 0 : list.count)
        case 2: list.remove(member)
        default: list.replace(with: Array(list).shuffled(using: &random))
        }
        trace.append(
            "\(["append", "insert", "remove", "shuffle"][what]) \(name(member)) in \(key) of \(name(object))")
    }
}
