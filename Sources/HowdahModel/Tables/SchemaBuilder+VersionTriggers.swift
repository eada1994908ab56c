extension SchemaBuilder {
    /// Adds the triggers that count versions of rows which other programs change.
    mutating func addVersionTriggers() {
        guard issues.isEmpty else { return }
        for root in model.roots where MappingKey.flag(root.userInfo[MappingKey.versionTrigger]) == true {
            guard let index = tables.firstIndex(where: { $0.name == tableName(of: root.name) }),
                let version = versionColumn(of: root.name)
            else { continue }
            let columns = ownColumns(ofHierarchy: root.name)
            if columns.isEmpty { continue }
            tables[index].triggers.append(
                StoreSchema.Trigger(
                    name: "\(tables[index].name)_version", origin: StoreSchema.Origin(root.name),
                    duty: .raiseVersion(version: version, columns: columns)))
        }
    }

    /// The columns whose values programs choose: attributes that are not derived, and to-ones; in the table's order.
    private func ownColumns(ofHierarchy root: String) -> [String] {
        var names: Set<String> = []
        for entity in model.descendants(of: root) {
            for storage in mapping(of: entity).properties {
                switch storage {
                case .attribute(let attribute) where attribute.description.derivationExpression == nil:
                    names.formUnion(attribute.columns.map(\.name))
                case .toOne(let toOne):
                    names.insert(toOne.column)
                    if let column = toOne.entityColumn { names.insert(column) }
                default: break
                }
            }
        }
        let table = tables.first { $0.name == tableName(of: root) }
        return table?.columns.filter { $0.generation == nil && names.contains($0.name) }.map(\.name) ?? []
    }

    mutating func checkVersionTrigger(of entity: EntityDescription) {
        guard let text = entity.userInfo[MappingKey.versionTrigger] else { return }
        let problem: String
        if entity.superentity != nil {
            problem =
                "A subentity is stored in the table of \(rootName(of: entity.name)). Set "
                + "\(MappingKey.versionTrigger) in \(rootName(of: entity.name))."
        } else if MappingKey.flag(text) == nil {
            problem = "\(MappingKey.versionTrigger) is neither \"YES\" nor \"NO\". Correct or remove the key."
        } else if entity.userInfo[MappingKey.version] != nil {
            problem =
                "\(MappingKey.versionTrigger) is only for tables that Howdah creates, but "
                + "\(MappingKey.version) names a column of another program's table. Remove one of the "
                + "two keys."
        } else {
            return
        }
        report(.invalidMapping, entity.name, nil, problem)
    }
}
