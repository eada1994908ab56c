import HowdahModel
import HowdahRuntime

/// Makes the objects of one save in a context.
struct GraphBatch {
    let data: SampleData
    let context: ManagedObjectContext
    /// The ids of what was saved before.
    let ids: [ObjectID<ManagedObject>?]

    /// The ids of the saved objects, in the order of `batch`.
    func save(_ batch: [Int], _ steps: [LinkOrder.Step]) throws -> [ObjectID<ManagedObject>] {
        var made: [Int: ManagedObject] = [:]
        for index in batch {
            let object = context.insert(data.objects[index].entityName)
            for (attribute, value) in data.values(ofObjectAt: index) { object[attribute] = value }
            made[index] = object
        }
        func object(_ index: Int) -> ManagedObject? {
            made[index] ?? ids[index].map { context.object(with: $0) }
        }
        for step in steps {
            guard let owner = object(step.owner) else { continue }
            let members = step.members.compactMap(object)
            switch step.kind {
            case .toOne: owner[step.relationship] = members.first
            case .toMany: for member in members { owner.members(forKey: step.relationship).insert(member) }
            case .ordered: owner[step.relationship] = members
            }
        }
        try context.save()
        return batch.compactMap { made[$0]?.objectID }
    }
}
