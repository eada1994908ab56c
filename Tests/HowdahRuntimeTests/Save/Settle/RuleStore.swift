import Howdah
import HowdahModel
import HowdahTesting
import PQClient
import Testing

@testable import HowdahRuntime

/// One shape with one rule in a store: fills it, deletes in every way, and reads what is left.
struct RuleStore {
    enum Way: String, CaseIterable {
        /// Through a context that knows every object and link.
        case loaded
        /// Through a context that knows the id alone.
        case unloaded
        /// With the rules applied in memory first.
        case propagated
        case batch, sql
    }

    let shape: RuleShape
    let rule: DeleteRule
    let container: PersistentContainer
    let sql: RuleSession
    let url: String
    let schema: StoreSchema
    /// Tells the rows of one filling from all others.
    let tag: String

    private func entity(of object: String) -> String { shape.entity(of: object, rule) }

    /// Stores the objects and links of the shape; their ids by name.
    nonisolated(nonsending) func fill() async throws -> [String: ObjectID<ManagedObject>] {
        try await container.perform { context in
            var objects: [String: ManagedObject] = [:]
            for name in shape.objects {
                let object = context.insert(entity(of: name))
                object["name"] = tag + name
                objects[name] = object
            }
            for link in shape.links.sorted() {
                let (owner, item) = (try #require(objects[link.owner]), try #require(objects[link.item]))
                if shape.isToMany {
                    owner.members(forKey: "items").insert(item)
                } else {
                    owner["items"] = item
                }
            }
            try context.save()
            return objects.mapValues(\.objectID)
        }
    }

    /// The rows and links of one filling as they are in the tables.
    func stored(_ ids: [String: ObjectID<ManagedObject>]) throws -> RuleGraph {
        let names = Dictionary(uniqueKeysWithValues: ids.map { ($1.key, $0) })
        var graph = RuleGraph(objects: [], links: [])
        for entity in Set([shape.owner(rule), shape.item(rule)]) {
            let mapping = try #require(schema.entities[entity])
            for row in try rows(mapping.table, [mapping.keyColumn]) {
                if let name = names[row[0] ?? 0] { graph.objects.insert(name) }
            }
        }
        let owner = try #require(schema.entities[shape.owner(rule)])
        let pairs: [[Int64?]]
        switch try #require(owner.properties.first { $0.name == "items" }) {
        case .toOne(let mapping): pairs = try rows(owner.table, [owner.keyColumn, mapping.column])
        case .inverse(let mapping):
            let item = try #require(schema.entities[shape.item(rule)])
            pairs = try rows(mapping.table, [mapping.column, item.keyColumn])
        case .join(let mapping):
            pairs = try rows(mapping.joinTable, [mapping.ownColumn, mapping.otherColumn])
        default: pairs = []
        }
        for pair in pairs {
            guard let owner = pair[0].flatMap({ names[$0] }), let item = pair[1].flatMap({ names[$0] }) else {
                continue
            }
            let isTurned = shape == .friends && owner > item
            graph.links.insert(isTurned ? .init(item, owner) : .init(owner, item))
        }
        return graph
    }

    private func rows(_ table: String, _ columns: [String]) throws -> [[Int64?]] {
        let list = columns.map(SQLIdentifier.quoted).joined(separator: ", ")
        return try sql.run("SELECT \(list) FROM \(SQLIdentifier.quoted(schema.schemaName, table))")
    }

    /// The versions of the rows there are.
    func versions(_ ids: [String: ObjectID<ManagedObject>]) throws -> [String: Int64] {
        let names = Dictionary(uniqueKeysWithValues: ids.map { ($1.key, $0) })
        var versions: [String: Int64] = [:]
        for entity in Set([shape.owner(rule), shape.item(rule)]) {
            let mapping = try #require(schema.entities[entity])
            for row in try rows(mapping.table, [mapping.keyColumn, "_version"]) {
                if let name = row[0].flatMap({ names[$0] }) { versions[name] = row[1] }
            }
        }
        return versions
    }

    /// The objects and links as a context shows them; a link must look the same from both ends, as far as they are there.
    func seen(_ ids: [String: ObjectID<ManagedObject>], by context: ManagedObjectContext) throws -> RuleGraph
    {
        let names = Dictionary(uniqueKeysWithValues: ids.map { ($1.key, $0) })
        var graph = RuleGraph(objects: [], links: [])
        var (fromOwners, fromItems): (Set<RuleGraph.Link>, Set<RuleGraph.Link>) = ([], [])
        for entity in Set([shape.owner(rule), shape.item(rule)]) {
            var request = FetchRequest<ManagedObject>(entityName: entity)
            request.predicate = .format("name BEGINSWITH %@", tag)
            for object in try context.fetch(request) {
                guard let name = names[object.objectID.key] else { continue }
                graph.objects.insert(name)
                if object.layout.slotsByName["items"] != nil {
                    for other in related(object, "items") {
                        guard let item = names[other.objectID.key] else { continue }
                        fromOwners.insert(
                            shape == .friends && name > item ? .init(item, name) : .init(name, item))
                    }
                }
                if object.layout.slotsByName["owners"] != nil {
                    for other in related(object, "owners") {
                        guard let owner = names[other.objectID.key] else { continue }
                        fromItems.insert(.init(owner, name))
                    }
                }
            }
        }
        graph.links = fromOwners.union(fromItems)
        if shape.hasInverse, !shape.isSelfInverse {
            let alive = { (link: RuleGraph.Link) in
                graph.objects.contains(link.owner) && graph.objects.contains(link.item)
            }
            #expect(fromOwners.filter(alive) == fromItems.filter(alive), "\(shape) \(rule)")
        }
        return graph
    }

    private func related(_ object: ManagedObject, _ key: String) -> [ManagedObject] {
        if let slot = object.layout.slotsByName[key], case .toMany = object.layout.slots[slot].kind {
            return object.members(forKey: key).objects
        }
        return (object[key] as? ManagedObject).map { [$0] } ?? []
    }
}
