import HowdahModel
import HowdahSchema

/// What a migrated store must hold of what it held before, by the mapping alone: objects that go on, attributes that are
/// taken over as they are, and all links.
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
            guard
                case .destinationInstances(let lookup, let name, let operand)? = property.valueExpression?
                    .call,
                case .path(.variable("source"), let keys) = operand, keys.count == 1,
                let links = object.links[keys[0]], let now = found.links[property.name],
                // What both sides say differently is decided by whoever comes last.
                let relationship = old.property(named: keys[0], of: object.entity)?.relationship,
                relationship.inverse != nil
            else { continue }
            let taken = new.property(named: property.name, of: found.entity)?.relationship
            let family = Set(new.descendants(of: taken?.destination ?? "").map(\.name))
            let makers = self.makers(lookup, name, relationship).filter {
                family.contains($0.destinationEntityName ?? "")
            }
            if makers.contains(where: { $0.sourceFilter != nil }) { continue }
            let expected = links.flatMap { member in
                makers.filter { $0.sourceEntityName == before.objects[member]?.entity }.map { maker in
                    token(of: member, by: maker, continuing)
                }
            }
            let actual = now.map { token(of: $0, continuing) }
            // Of several objects that one became, a to-one relationship has one.
            let isChoice = taken?.isToMany == false && expected.count > 1
            let isRight =
                isChoice
                ? actual.count == 1 && expected.contains(actual[0]) : expected.sorted() == actual.sorted()
            if !isRight {
                faults.append(
                    "\(mapping.name).\(property.name) of \(key): \(actual.sorted()) instead of \(expected.sorted())"
                )
            }
        }
        return faults
    }

    /// The mappings that a call asks for what they made.
    private func makers(
        _ lookup: MappingExpression.Lookup, _ name: String, _ relationship: RelationshipDescription
    ) -> [EntityMapping] {
        if lookup == .entityMapping { return mappingModel.entityMappings.filter { $0.name == name } }
        let family = Set(old.descendants(of: relationship.destination).map(\.name))
        return mappingModel.entityMappings.filter {
            $0.destinationEntityName != nil && family.contains($0.sourceEntityName ?? "")
        }
    }

    /// What an object of the old store became: the same id, or a new one, whose attributes tell what it is.
    private func token(of key: Int64, by maker: EntityMapping, _ continuing: [EntityMapping]) -> String {
        let entity = maker.destinationEntityName ?? ""
        if continuing.contains(maker) { return "\(entity) \(key)" }
        let values = marks(of: entity, continuing).map { before.objects[key]?.values[$0.from] ?? .null }
        return "new \(entity) \(values)"
    }

    private func token(of key: Int64, _ continuing: [EntityMapping]) -> String {
        guard let object = after.objects[key] else { return "nothing" }
        let goesOn = before.objects[key].map { old in
            continuing.contains {
                $0.sourceEntityName == old.entity && $0.destinationEntityName == object.entity
            }
        }
        if goesOn == true { return "\(object.entity) \(key)" }
        let values = marks(of: object.entity, continuing).map { object.values[$0.to] ?? .null }
        return "new \(object.entity) \(values)"
    }

    /// The attributes by which objects with new ids are told apart: those that their only maker takes as they are.
    private func marks(of entity: String, _ continuing: [EntityMapping]) -> [(from: String, to: String)] {
        let makers = mappingModel.entityMappings.filter {
            $0.destinationEntityName == entity && $0.sourceEntityName != nil && !continuing.contains($0)
        }
        guard makers.count == 1, let source = makers[0].sourceEntityName else { return [] }
        return makers[0].attributeMappings.compactMap { property in
            guard let name = taken(property.valueExpression),
                old.property(named: name, of: source)?.attribute?.type
                    == new.property(named: property.name, of: entity)?.attribute?.type
            else { return nil }
            return (name, property.name)
        }
    }

    /// The attribute of the source whose value is taken as it is.
    private func taken(_ expression: MappingExpression?) -> String? {
        guard case .path(.variable("source"), let keys)? = expression?.root, keys.count == 1 else {
            return nil
        }
        return keys[0]
    }
}
