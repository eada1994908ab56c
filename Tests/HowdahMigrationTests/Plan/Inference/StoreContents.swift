import HowdahModel
import HowdahRuntime
import HowdahSampleData

/// Everything that a store holds, read through its objects.
struct StoreContents: Sendable {
    struct Object: Sendable {
        let entity: String
        var values: [String: Value] = [:]
        var links: [String: [Int64]] = [:]
    }

    /// By the objects' keys, which are unique in the store.
    var objects: [Int64: Object] = [:]

    static func of(_ container: PersistentContainer) async throws -> StoreContents {
        let model = container.model
        return try await container.perform { context in
            var contents = StoreContents()
            for entity in model.entities where !entity.isAbstract {
                var request = FetchRequest<ManagedObject>(entityName: entity.name)
                request.includesSubentities = false
                for object in try context.fetch(request) {
                    contents.objects[object.objectID.key] = read(object, entity.name, model)
                }
            }
            return contents
        }
    }

    private static func read(
        _ object: ManagedObject, _ entity: String, _ model: ManagedObjectModel
    ) -> Object {
        var result = Object(entity: entity)
        for property in model.properties(of: entity) {
            if let attribute = property.attribute {
                guard attribute.isStored else { continue }
                result.values[attribute.name] = SampleData.value(object[attribute.name], attribute.type)
            } else if let relationship = property.relationship, !relationship.isTransient {
                let given = object[relationship.name]
                let members =
                    relationship.isToMany
                    ? given as? [ManagedObject] ?? [] : [given as? ManagedObject].compactMap { $0 }
                result.links[relationship.name] = members.map(\.objectID.key)
            }
        }
        return result
    }
}

extension StoreContents {
    /// How much of another contents is here still.
    func survival(of past: StoreContents) -> String {
        let kept = past.objects.keys.filter { objects[$0] != nil }
        return
            "\(kept.count) of \(past.objects.count) objects, \(total(in: kept)) of \(past.total(in: Array(past.objects.keys))) "
            + "values and links"
    }

    private func total(in keys: [Int64]) -> Int {
        keys.compactMap { objects[$0] }.reduce(0) { sum, object in
            sum + object.values.values.count { !$0.isNull } + object.links.values.reduce(0) { $0 + $1.count }
        }
    }
}
