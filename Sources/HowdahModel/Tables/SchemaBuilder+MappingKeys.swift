extension SchemaBuilder {
    mutating func checkSchemaName(_ name: String) {
        if let mistake = StoreSchema.mistake(inSchemaName: name) { report(.invalidName, nil, nil, mistake) }
    }

    /// Entries that nothing would come of are refused: whoever wrote them expects something.
    mutating func checkMappingKeys() {
        for entity in model.entities {
            checkNames(in: entity.userInfo, entity.name, nil)
            if entity.userInfo[MappingKey.table] != nil, entity.superentity != nil {
                report(
                    .invalidMapping, entity.name, nil,
                    "A subentity is stored in the table of \(rootName(of: entity.name)). Set "
                        + "\(MappingKey.table) in \(rootName(of: entity.name))."
                )
            }
            checkOwnColumns(of: entity)
            checkVersionTrigger(of: entity)
            for property in entity.properties {
                checkNames(in: property.userInfo, entity.name, property.name)
                for key in [MappingKey.key, MappingKey.version] where property.userInfo[key] != nil {
                    report(
                        .invalidMapping, entity.name, property.name,
                        "\(key) names a column of the whole table, so a property cannot have it. Remove it "
                            + "here, or set it in the user info of \(rootName(of: entity.name)).")
                }
                checkDeleteTrigger(of: property, in: entity)
                switch property.kind {
                case .attribute(let attribute): check(attribute, in: entity)
                case .relationship(let relationship): check(relationship, in: entity)
                }
            }
        }
    }

    private mutating func checkNames(in userInfo: [String: String], _ entity: String, _ property: String?) {
        for key in [MappingKey.table, MappingKey.column] {
            guard let name = userInfo[key] else { continue }
            if name.isEmpty || name.unicodeScalars.contains(where: \.isInvisibleControl) {
                report(
                    .invalidMapping, entity, property,
                    "The name in \(key) is empty or contains control characters. Choose another name.")
            }
        }
    }

    private mutating func check(_ attribute: AttributeDescription, in entity: EntityDescription) {
        if attribute.userInfo[MappingKey.table] != nil {
            report(
                .invalidMapping, entity.name, attribute.name,
                "An attribute has no separate table. Set \(MappingKey.column) instead of \(MappingKey.table)."
            )
        }
        checkJSON(of: attribute, path: attribute.name, in: entity)
        checkFoldedIndex(of: attribute, path: attribute.name, in: entity)
        if let text = attribute.userInfo[MappingKey.digest] {
            let isUnique = model.descendants(of: entity.name).contains {
                $0.uniquenessConstraints.contains { $0.contains(attribute.name) }
            }
            let hasDigest = attribute.columnType == .text || attribute.columnType == .bytea
            if !hasDigest || !isUnique || MappingKey.flag(text) == nil {
                report(
                    .invalidMapping, entity.name, attribute.name,
                    hasDigest && isUnique
                        ? "\(MappingKey.digest) is neither YES nor NO. Correct or remove the key."
                        : "Only texts and binaries of a uniqueness constraint can have \(MappingKey.digest). Remove "
                            + "the key.")
            }
        }
    }

    private mutating func checkJSON(
        of attribute: AttributeDescription, path: String, in entity: EntityDescription
    ) {
        if let text = attribute.userInfo[MappingKey.jsonb],
            attribute.type != .transformable || MappingKey.flag(text) == nil
        {
            report(
                .invalidMapping, entity.name, path,
                attribute.type == .transformable
                    ? "\(MappingKey.jsonb) is neither YES nor NO. Correct or remove the key."
                    : "Only Transformable attributes can have \(MappingKey.jsonb). Remove the key."
            )
        }
        for element in attribute.type.composite?.elements ?? [] {
            checkJSON(of: element, path: "\(path).\(element.name)", in: entity)
        }
    }

    private mutating func checkFoldedIndex(
        of attribute: AttributeDescription, path: String, in entity: EntityDescription
    ) {
        if let letters = attribute.userInfo[MappingKey.foldedIndex],
            attribute.columnType != .text || !attribute.isStored
                || PredicateTree.Options(letters: letters) == nil
        {
            report(
                .invalidMapping, entity.name, path,
                attribute.columnType == .text && attribute.isStored
                    ? "\(MappingKey.foldedIndex) is not c, d or cd. Correct or remove the key."
                    : "Only stored Strings and URIs can have \(MappingKey.foldedIndex). Remove the key."
            )
        }
        if attribute.userInfo[MappingKey.localeIndex] != nil,
            attribute.columnType != .text || !attribute.isStored
        {
            report(
                .invalidMapping, entity.name, path,
                "Only stored Strings and URIs can have \(MappingKey.localeIndex). Remove the key.")
        }
        for element in attribute.type.composite?.elements ?? [] {
            checkFoldedIndex(of: element, path: "\(path).\(element.name)", in: entity)
        }
    }

    private mutating func check(_ relationship: RelationshipDescription, in entity: EntityDescription) {
        let storage = pairs[PropertyKey(entity: entity.name, name: relationship.name)]?.storage
        if relationship.userInfo[MappingKey.table] != nil, storage != .joinTable {
            report(
                .invalidMapping, entity.name, relationship.name,
                "The relationship is stored without a separate table. Remove \(MappingKey.table).")
        }
        if relationship.userInfo[MappingKey.column] != nil, storage == .inverseColumn {
            report(
                .invalidMapping, entity.name, relationship.name,
                "The relationship is stored in the column of its inverse. Set \(MappingKey.column) in "
                    + "\(relationship.destination).\(relationship.inverse ?? "").")
        }
    }
}

extension StoreSchema {
    /// Why a PostgreSQL schema cannot have a name; nil where it can.
    package static func mistake(inSchemaName name: String) -> String? {
        guard
            name.isEmpty || name.utf8.count > NameScope.maximumLength || name.hasPrefix("pg_")
                || name == "information_schema" || name.unicodeScalars.contains(where: \.isInvisibleControl)
        else { return nil }
        return
            "The schema name \"\(name)\" is not valid. Use 1 to 63 bytes without control characters. Do not "
            + "use information_schema or a name that begins with pg_, because they belong to PostgreSQL."
    }
}
