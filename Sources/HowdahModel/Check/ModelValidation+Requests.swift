extension ModelValidation {
    mutating func checkFetchIndexes(of entity: EntityDescription) {
        var names: Set<String> = []
        for index in entity.allFetchIndexes {
            if !names.insert(index.name).inserted {
                report(
                    .duplicateName, entity.name, nil,
                    "The entity has two fetch indexes named \"\(index.name)\". Rename one of the indexes.")
            }
            if index.elements.isEmpty {
                report(
                    .invalidIndex, entity.name, nil,
                    "The fetch index \(index.name) has no elements. Add a property, or remove the index.")
            }
            var columns = 0
            for element in index.elements {
                switch element.subject {
                case .expression(let sql):
                    columns += 1
                    guard sql.contains("_howdah_fold_") else { break }
                    report(
                        .invalidIndex, entity.name, nil,
                        "The fetch index \(index.name) calls a function _howdah_fold_… of a store in its SQL. "
                            + "A model works in any store, so it cannot name the function. Replace the "
                            + "expression with the element .folded(\"name\").")
                case .property(let keyPath): columns += checkIndexed(keyPath, by: index, of: entity)
                case .folded(let keyPath, let options):
                    columns += checkIndexed(keyPath, folding: options, by: index, of: entity)
                case .localized(let keyPath, let locale):
                    columns += checkIndexed(keyPath, locale: locale, by: index, of: entity)
                }
            }
            if index.method == .hash, columns > 1 {
                report(
                    .invalidIndex, entity.name, nil,
                    "The fetch index \(index.name) has several columns, but a hash index can have only one. "
                        + "Make the index a B-tree, or divide the index.")
            }
        }
    }

    /// - Returns: how many columns the index gets for it.
    private mutating func checkIndexed(
        _ keyPath: String, folding options: PredicateTree.Options? = nil, locale: String? = nil,
        by index: FetchIndexDescription, of entity: EntityDescription
    ) -> Int {
        let names = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let property = names.first.flatMap({ model.property(named: $0, of: entity.name) }) else {
            report(
                .unknownProperty, entity.name, keyPath,
                "The fetch index \(index.name) names a property that the entity does not have. Add the "
                    + "property or correct the name.")
            return 0
        }
        switch property.kind {
        case .relationship(let relationship):
            if names.count > 1 || relationship.isToMany || relationship.isTransient {
                report(
                    .invalidIndex, entity.name, keyPath,
                    "The fetch index \(index.name) names a value outside of the entity's own table. "
                        + "Index an attribute or a to-one relationship.")
                return 0
            }
            checkFolding(options, of: index, for: [.int8], keyPath, entity)
            if let locale { checkLocale(locale, of: index, for: nil, keyPath, entity) }
            checkMethod(of: index, for: [.int8], keyPath, entity)
            return 1
        case .attribute(var attribute):
            for name in names.dropFirst() {
                guard let element = attribute.type.composite?.elements.first(where: { $0.name == name })
                else {
                    report(
                        .unknownProperty, entity.name, keyPath,
                        "The fetch index \(index.name) names an element that the composite does not have. "
                            + "Correct the path.")
                    return 0
                }
                attribute = element
            }
            if !attribute.isStored {
                report(
                    .invalidIndex, entity.name, keyPath,
                    "The fetch index \(index.name) names an attribute that is not stored. Remove the "
                        + "attribute from the index.")
            }
            let types = AttributeLeaf.leaves(of: attribute, column: "").map(\.type)
            checkFolding(options, of: index, for: types, keyPath, entity)
            if let locale { checkLocale(locale, of: index, for: attribute, keyPath, entity) }
            checkMethod(of: index, for: types, keyPath, entity)
            return types.count
        }
    }

    private mutating func checkFolding(
        _ options: PredicateTree.Options?, of index: FetchIndexDescription,
        for types: [StoreSchema.ColumnType], _ keyPath: String, _ entity: EntityDescription
    ) {
        guard let options else { return }
        if options.isEmpty {
            report(
                .invalidIndex, entity.name, keyPath,
                "The fetch index \(index.name) has a folded element without folding options. Name the "
                    + "property without folding, or fold case, diacritics or both."
            )
        } else if types != [.text] {
            report(
                .invalidIndex, entity.name, keyPath,
                "The fetch index \(index.name) folds a property that is not a String or a URI. Index the "
                    + "property without folding.")
        }
    }

    /// Reports types for which the index's method has no operators.
    private mutating func checkMethod(
        of index: FetchIndexDescription, for types: [StoreSchema.ColumnType], _ keyPath: String,
        _ entity: EntityDescription
    ) {
        let hasExpression = index.elements.contains {
            if case .expression = $0.subject { true } else { false }
        }
        // Without expressions, what is asked of GiST is what a B-tree does.
        let method = index.method == .gist && !hasExpression ? .btree : index.method
        guard let type = types.first(where: { !method.takes($0) }) else { return }
        let remedy =
            type.isScalar
            ? "Use a B-tree, or index an expression of a type that \(method.name) supports."
            : "Use the method gin."
        report(
            .invalidIndex, entity.name, keyPath,
            "The fetch index \(index.name) uses the method \(method.name), which has no operators for this "
                + "attribute. \(remedy)"
        )
    }

    mutating func checkFetchedProperties(of entity: EntityDescription) {
        var names = Set(
            model.lineage(of: entity.name).dropFirst().flatMap(\.fetchedProperties).map(\.name))
        for property in entity.properties where names.contains(property.name) {
            report(
                .duplicateName, entity.name, property.name,
                "A superentity already has a fetched property of this name. Rename one of the properties.")
        }
        for property in entity.fetchedProperties {
            if !names.insert(property.name).inserted {
                report(
                    .duplicateName, entity.name, property.name,
                    "The entity or a superentity already has a fetched property of this name. Rename one of "
                        + "the properties."
                )
            }
            checkName(property.name, of: "property", entity.name, property.name)
            checkKeyPathName(property.name, entity.name, property.name)
            if model.property(named: property.name, of: entity.name) != nil {
                report(
                    .duplicateName, entity.name, property.name,
                    "The entity already has a property of this name. Rename one of the properties.")
            }
            checkEntity(of: property.fetchRequest, "fetched property", entity.name, property.name)
        }
    }

    mutating func checkRequests() {
        for (name, template) in model.fetchRequestTemplates.sorted(by: { $0.key < $1.key }) {
            checkEntity(of: template, "fetch request \(name)", nil, nil)
        }
        for (name, members) in model.configurations.sorted(by: { $0.key < $1.key }) {
            for member in members where model[member] == nil {
                report(
                    .invalidRequest, nil, nil,
                    "The configuration \(name) names the entity \"\(member)\", which is not in the model. "
                        + "Correct or remove the name.")
            }
        }
    }

    private mutating func checkEntity(
        of template: FetchRequestTemplate, _ place: String, _ entity: String?, _ property: String?
    ) {
        guard model[template.entityName] == nil else { return }
        report(
            .invalidRequest, entity, property,
            "The \(place) fetches the entity \"\(template.entityName)\", which is not in the model. Correct "
                + "the name."
        )
    }
}
