import HowdahMigration
import HowdahModel

/// What a migrated store must hold of what it held before, by the mapping alone: objects that go on, attributes that are
/// taken over as they are, and links to objects that go on.
struct MappingOracle {
    let mappingModel: MappingModel
    let old: ManagedObjectModel
    let new: ManagedObjectModel
    let before: StoreContents
    let after: StoreContents

    func faults() -> [String] {
        var faults: [String] = []
        let pairing = ModelPairing(from: old, to: new)
        let continuing = mappingModel.entityMappings.filter { mapping in
            mapping.sourceEntityName.map { pairing.target(ofEntity: $0) == mapping.destinationEntityName }
                ?? false && mapping.destinationEntityName != nil && mapping.sourceFilter == nil
        }
        for mapping in continuing {
            for (key, object) in before.objects where object.entity == mapping.sourceEntityName {
                guard let found = after.objects[key], found.entity == mapping.destinationEntityName else {
                    faults.append("\(mapping.name): \(object.entity) \(key) is gone")
                    continue
                }
                faults += self.faults(mapping, key, object, found, continuing)
            }
        }
        for entity in new.entities where !entity.isAbstract {
            let makers = mappingModel.entityMappings.filter { $0.destinationEntityName == entity.name }
            if makers.contains(where: { $0.sourceFilter != nil }) { continue }
            let expected = makers.reduce(0) { sum, mapping in
                sum + before.objects.values.count { $0.entity == mapping.sourceEntityName }
            }
            let found = after.objects.values.count { $0.entity == entity.name }
            if found != expected { faults.append("\(entity.name): \(found) instead of \(expected)") }
        }
        return faults
    }

    private func faults(
        _ mapping: EntityMapping, _ key: Int64, _ object: StoreContents.Object,
        _ found: StoreContents.Object, _ continuing: [EntityMapping]
    ) -> [String] {
        var faults: [String] = []
        for property in mapping.attributeMappings {
            guard let name = taken(property.valueExpression),
                old.property(named: name, of: object.entity)?.attribute?.type
                    == new.property(named: property.name, of: found.entity)?.attribute?.type
            else { continue }
            // What was not stored before is nil.
            if object.values[name] ?? .null != found.values[property.name] ?? .null {
                faults.append("\(mapping.name).\(property.name) of \(key)")
            }
        }
        for property in mapping.relationshipMappings {
            guard case .destinationInstances(_, _, let operand)? = property.valueExpression?.call,
                case .path(.variable("source"), let keys) = operand, keys.count == 1,
                let links = object.links[keys[0]], let now = found.links[property.name],
                // What both sides say differently is decided by whoever comes last.
                old.property(named: keys[0], of: object.entity)?.relationship?.inverse != nil
            else { continue }
            let expected = links.filter { member in
                continuing.contains { $0.sourceEntityName == before.objects[member]?.entity }
            }
            // Others may be there that went on in ways that are not followed here.
            let others = now.filter { member in
                before.objects[member].map { old in continuing.contains { $0.sourceEntityName == old.entity }
                }
                    ?? false
            }
            if !Set(expected).isSubset(of: now) || !Set(others).isSubset(of: expected) {
                faults.append("\(mapping.name).\(property.name) of \(key): \(now) instead of \(expected)")
            }
        }
        return faults
    }

    /// The attribute of the source whose value is taken as it is.
    private func taken(_ expression: MappingExpression?) -> String? {
        guard case .path(.variable("source"), let keys)? = expression?.root, keys.count == 1 else {
            return nil
        }
        return keys[0]
    }
}
