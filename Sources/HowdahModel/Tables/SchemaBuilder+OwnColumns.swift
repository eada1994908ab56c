extension SchemaBuilder {
    /// The names given for key and version: on roots only, usable, and not the same.
    mutating func checkOwnColumns(of entity: EntityDescription) {
        let given = [MappingKey.key, MappingKey.version].filter { entity.userInfo[$0] != nil }
        if entity.superentity != nil {
            for key in given {
                report(
                    .invalidMapping, entity.name, nil,
                    "A subentity has the columns of \(rootName(of: entity.name)). Set \(key) in "
                        + "\(rootName(of: entity.name)).")
            }
            return
        }
        for key in given {
            let name = entity.userInfo[key] ?? ""
            if key == MappingKey.key, name == MappingKey.noVersion {
                report(
                    .invalidMapping, entity.name, nil,
                    "\(key) names the column of the primary key and cannot be \"\(name)\", because every row "
                        + "needs a key. Set \(key) to the name of an integer column.")
            } else if !isUsable(name) {
                reportUnusable(name, key: key, entity.name, nil)
            }
        }
        if let version = versionColumn(of: entity.name), version == keyColumn(of: entity.name) {
            report(
                .invalidMapping, entity.name, nil,
                "\(MappingKey.key) and \(MappingKey.version) are both \"\(version)\". Use another column for "
                    + "the version, or set \(MappingKey.version) to \"\(MappingKey.noVersion)\".")
        }
    }

    /// A property whose column would be renamed because key or version have the name: in a table that exists there is
    /// no other column.
    mutating func checkIsNoOwnColumn(_ column: String, of root: String, _ property: PropertyKey) {
        let info = model[root]?.userInfo ?? [:]
        for key in [MappingKey.key, MappingKey.version]
        where info[key] == column && column != MappingKey.noVersion {
            let reading = key == MappingKey.key ? "objectID" : "version"
            report(
                .invalidMapping, property.entity, property.name,
                "\(key) already uses the column \"\(column)\", so a property cannot use it too. Read the value "
                    + "from the object's \(reading). Remove the property, or set its \(MappingKey.column) to "
                    + "another column.")
        }
    }

    private func isUsable(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= NameScope.maximumLength && name != StoreSchema.entityColumn
            && !name.hasPrefix("_howdah") && !Self.systemColumns.contains(name)
            && !name.unicodeScalars.contains(where: \.isInvisibleControl)
    }
}
