import Foundation
import HowdahModel
public import HowdahRuntime

/// Random changes of the objects of a random graph, many of which a save refuses.
public struct RandomGraphChanges {
    private let graph: RandomGraph
    private let context: ManagedObjectContext
    private var random: SeededGenerator
    private var objects: [String: [ManagedObject]] = [:]

    /// Fetches objects, and loads some of what they lead to.
    public init(_ graph: RandomGraph, _ context: ManagedObjectContext, seed: UInt64) throws {
        (self.graph, self.context) = (graph, context)
        random = SeededGenerator(seed: seed)
        if random.chance(30) { context.reset() }
        for entity in graph.model.entities {
            let found = try context.fetch(FetchRequest<ManagedObject>(entityName: entity.name))
                .sorted {
                    $0.objectID.uriRepresentation.absoluteString
                        < $1.objectID.uriRepresentation.absoluteString
                }
            objects[entity.name] = found
            for object in found {
                for relationship in RandomGraph.relationships(entity) {
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0 where relationship.isToMany:
                        _ = object.value(forKey: relationship.name)
                    case 1 where relationship.isToMany && !relationship.isOrdered:
                        _ = object.members(forKey: relationship.name).count
                    default: break
                    }
                }
            }
        }
    }

    /// Makes up to so many changes.
    public mutating func run(upTo most: Int = 6) {
        for _ in 0..<Int.random(in: 1...most, using: &random) { change() }
    }

    private mutating func one(_ entity: String) -> ManagedObject? {
        let present = (objects[entity] ?? []).filter { !$0.isDeleted }
        return present.isEmpty ? nil : random.pick(present)
    }

    private mutating func change() {
        let entity = random.pick(graph.model.entities)
        guard !random.chance(20), let object = one(entity.name) else {
            insert(entity, depth: 0)
            return
        }
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: object["number"] = Int.random(in: -5...5, using: &random)
        case 2: object["text"] = random.chance(20) ? nil : "text \(random.next() % 100)"
        case 3: object["code"] = random.chance(20) ? nil : "code \(random.next() % 20)"
        case 4: context.delete(object)
        default:
            let relationships = RandomGraph.relationships(entity)
            guard !relationships.isEmpty else { return }
            link(object, random.pick(relationships))
        }
    }

    private mutating func link(_ object: ManagedObject, _ relationship: RelationshipDescription) {
        let name = relationship.name
        let other = one(relationship.destination)
        if !relationship.isToMany {
            object[name] = random.chance(20) && relationship.isOptional ? nil : other
            return
        }
        let members = object.value(forKey: name) as? [ManagedObject] ?? []
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where !members.isEmpty:
            let member = random.pick(members)
            if relationship.isOrdered {
                object.orderedMembers(forKey: name).remove(member)
            } else {
                object.members(forKey: name).remove(member)
            }
        case 1 where relationship.isOrdered && !members.isEmpty:
            object.orderedMembers(forKey: name).move(
                random.pick(members), to: Int.random(in: members.indices, using: &random))
        case 2 where random.chance(30):
            object.setValue(Array(members.shuffled(using: &random).dropLast()), forKey: name)
        default:
            guard let other else { return }
            if relationship.isOrdered {
                object.orderedMembers(forKey: name).append(other)
            } else {
                object.members(forKey: name).insert(other)
            }
        }
    }

    /// Inserts an object, mostly with what its relationships need.
    @discardableResult
    private mutating func insert(_ entity: EntityDescription, depth: Int) -> ManagedObject {
        let object = context.insert(entity.name)
        objects[entity.name, default: []].append(object)
        object["number"] = Int.random(in: -5...5, using: &random)
        guard !random.chance(5) else { return object }
        for relationship in RandomGraph.relationships(entity) {
            let least = max(relationship.minCount, relationship.isToMany || relationship.isOptional ? 0 : 1)
            let wanted = least + (random.chance(30) ? 1 : 0)
            for _ in 0..<wanted {
                guard let other = destination(relationship, depth) else { continue }
                if !relationship.isToMany {
                    if object[relationship.name] == nil { object[relationship.name] = other }
                } else if relationship.isOrdered {
                    object.orderedMembers(forKey: relationship.name).append(other)
                } else {
                    object.members(forKey: relationship.name).insert(other)
                }
            }
        }
        return object
    }

    private mutating func destination(_ relationship: RelationshipDescription, _ depth: Int) -> ManagedObject?
    {
        if depth < 3, random.chance(60),
            let entity = graph.model.entities.first(where: { $0.name == relationship.destination })
        {
            return insert(entity, depth: depth + 1)
        }
        return one(relationship.destination)
    }
}
