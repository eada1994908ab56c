import Foundation
package import HowdahModel
package import HowdahRuntime

extension SampleData {
    /// Where a store that the graph was inserted into differs from it: objects, attributes and relationships, both
    /// ways; empty where it is the same. Reads everything at once, in a context of its own.
    package nonisolated(nonsending) func differences(
        from insertion: Insertion, in container: PersistentContainer
    ) async throws -> [String] {
        try await container.perform { context in try differences(insertion.objectIDs, context) }
    }

    private func differences(
        _ ids: [ObjectID<ManagedObject>], _ context: ManagedObjectContext
    ) throws -> [String] {
        guard ids.count == objects.count else { return ["\(ids.count) ids for \(objects.count) objects"] }
        var found: [String] = []
        var stored: [ObjectID<ManagedObject>: ManagedObject] = [:]
        for (name, count) in counts {
            var request = FetchRequest<ManagedObject>(entityName: name)
            request.includesSubentities = false
            let fetched = try context.fetch(request)
            if fetched.count != count { found.append("\(name): \(fetched.count) objects, not \(count)") }
            for object in fetched { stored[object.objectID] = object }
        }
        for index in objects.indices {
            guard let object = stored[ids[index]] else {
                found.append("\(objects[index]) is missing")
                continue
            }
            for (attribute, value) in values(ofObjectAt: index) {
                let type =
                    model.property(named: attribute, of: object.entityName)?.attribute?.type ?? .undefined
                let present = Self.value(object[attribute], type)
                if !present.isIdentical(to: value) {
                    found.append("\(objects[index]).\(attribute) is \(present), not \(value)")
                }
            }
            found += linkDifferences(index, object, ids)
        }
        return found
    }

    private func linkDifferences(
        _ index: Int, _ object: ManagedObject, _ ids: [ObjectID<ManagedObject>]
    ) -> [String] {
        let planned = objects[index]
        return model.properties(of: planned.entityName).compactMap(\.relationship).compactMap {
            relationship in
            if relationship.isTransient { return nil }
            let link = planned.links.first { $0.relationship == relationship.name }
            let wanted = (link?.members ?? []).map { ids[$0] }
            let given = object[relationship.name]
            let members =
                relationship.isToMany
                ? given as? [ManagedObject] ?? [] : [given as? ManagedObject].compactMap { $0 }
            let present: [ObjectID<ManagedObject>] = members.map(\.objectID)
            let isEqual =
                relationship.isOrdered
                ? present == wanted : present.count == wanted.count && Set(present) == Set(wanted)
            if isEqual { return nil }
            return "\(planned).\(relationship.name) is \(present.map(\.key)), not \(wanted.map(\.key))"
        }
    }

    /// What key-value access gave, as a value again.
    package static func value(_ given: Any?, _ type: AttributeType) -> Value {
        if let composite = type.composite {
            guard let members = given as? [String: Any] else { return .null }
            return .composite(composite.elements.map { value(members[$0.name], $0.type) })
        }
        if let element = type.element {
            return (given as? [Any]).map { .array($0.map { value($0, element) }) } ?? .null
        }
        switch given {
        case let value as Bool where type == .boolean: return .bool(value)
        case let value as Int64: return .int(value)
        case let value as Double: return .double(value)
        case let value as Float: return .float(value)
        case let value as Decimal: return .decimal(value)
        case let value as String: return .string(value)
        case let value as Date: return .date(value)
        case let value as Data: return .data(value)
        case let value as UUID: return .uuid(value)
        case let value as URL: return .uri(value)
        default: return .null
        }
    }
}
