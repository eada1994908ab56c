import HowdahModel

/// A mapping model as text for people: an entity mapping after the other, its properties in columns.
struct MappingModelText {
    private let model: MappingModel

    init(_ model: MappingModel) { self.model = model }

    var text: String {
        let heading = model.entityMappings.count.counted("entity mapping", "entity mappings")
        return ([heading] + model.entityMappings.map(section)).joined(separator: "\n\n")
    }

    private func section(_ mapping: EntityMapping) -> String {
        let type =
            mapping.mappingType == .undefined ? "transform or copy" : mapping.mappingType.rawValue
        let ends = [mapping.sourceEntityName, mapping.destinationEntityName].map { $0 ?? "-" }
        var lines = ["\(mapping.name)  (\(type))  \(ends.joined(separator: " -> "))"]
        if let policy = mapping.entityMigrationPolicyClassName { lines.append("  policy  \(policy)") }
        if let filter = mapping.sourceFilter { lines.append("  only where  \(filter)") }
        lines += mapping.userInfo.sorted { $0.key < $1.key }.map { "  info  \($0.key) = \($0.value)" }
        let properties = mapping.attributeMappings + mapping.relationshipMappings
        let width = properties.map(\.name.count).max() ?? 0
        for property in properties {
            let name = property.name + String(repeating: " ", count: width - property.name.count)
            lines.append("  \(name)  \(value(of: property))")
        }
        return lines.map(\.printable).joined(separator: "\n")
    }

    private func value(of property: PropertyMapping) -> String {
        let info = property.userInfo.sorted { $0.key < $1.key }.map { ", \($0.key) = \($0.value)" }.joined()
        if let expression = property.valueExpression { return "\(expression)\(info)" }
        return (property.generatesValueExpression ? "(from the models)" : "(default)") + info
    }
}
