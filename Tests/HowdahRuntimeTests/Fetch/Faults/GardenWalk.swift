import Howdah
import TestSupport

/// Changes gardens at random.
struct GardenWalk {
    let context: ManagedObjectContext
    var random: SeededGenerator
    var objects: [ManagedObject] = []
    var lastNumber = 0

    init(_ context: ManagedObjectContext, seed: UInt64) {
        self.context = context
        random = SeededGenerator(seed: seed)
    }

    var living: [ManagedObject] { objects.filter { !$0.isDeleted && $0.managedObjectContext != nil } }

    mutating func create(_ entity: String) {
        lastNumber += 1
        let object = context.insert(entity)
        object["number"] = lastNumber
        objects.append(object)
    }

    mutating func change(deleting: Bool = false) {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<6: create(random.pick(["Plant", "Tree", "Bed"]))
        case 6..<10 where deleting:
            guard let object = pick(random.chance(20) ? "Bed" : "Plant") else { return }
            context.delete(object)
            context.processPendingChanges()
        case 10..<30:
            guard let object = pick("Plant") else { return }
            let number = Int.random(in: 0..<100, using: &random)
            if random.chance(60) { object["value"] = number } else { object["note"] = "\(number)" }
        case 30..<50:
            let key = random.pick(["bed", "bed", "parent"])
            guard let object = pick("Plant") else { return }
            object[key] = random.chance(20) ? nil : pick(key == "bed" ? "Bed" : "Plant")
        case 50..<75: changeMembers()
        default: changeOrdered()
        }
    }

    private mutating func changeMembers() {
        let isBed = random.chance(20)
        let key = isBed ? "sampled" : random.pick(Garden.plain)
        guard let object = pick(isBed ? "Bed" : "Plant"),
            let member = pick(["beds", "shows"].contains(key) ? "Bed" : "Plant")
        else { return }
        let members = object.members(forKey: key)
        if random.chance(70) { members.insert(member) } else { members.remove(member) }
    }

    private mutating func changeOrdered() {
        let isBed = random.chance(75)
        let key = isBed ? random.pick(Garden.ordered) : "rivals"
        guard let object = pick(isBed ? "Bed" : "Plant"), let member = pick("Plant") else { return }
        let list = object.orderedMembers(forKey: key)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: list.append(member)
        case 1: list.insert(member, at: random.chance(50) ? 0 : list.count)
        case 2: list.remove(member)
        default: list.replace(with: Array(list).shuffled(using: &random))
        }
    }

    private mutating func pick(_ entity: String) -> ManagedObject? {
        let choices = living.filter { ($0.entityName == "Bed") == (entity == "Bed") }
        return choices.isEmpty ? nil : random.pick(choices)
    }
}
