extension SchemaBuilder {
    /// PostgreSQL's limit of columns in one index.
    private static let maximumElements = 32

    /// The indexes of all entities in a table, without those that are there already under another name.
    ///
    /// An index of a subentity is over all rows: other entities have NULL in its own columns, and a condition on
    /// the entity would hide it from fetches of the superentity.
    mutating func addFetchIndexes(of members: [EntityDescription], to table: inout StoreSchema.Table) {
        var drafts: [IndexDraft] = []
        for entity in members {
            for index in entity.allFetchIndexes.sorted(by: { $0.name < $1.name }) {
                if let draft = draft(of: index, in: entity) { drafts.append(draft) }
            }
        }
        drafts = drafts.filter { !table.takesOver($0) }
        for (text, length) in IndexPrefixes(drafts).lengths {
            guard let position = table.columns.firstIndex(where: { $0.name == text.column }) else { continue }
            if text.folding.isEmpty {
                table.columns[position].indexPrefix = length
            } else {
                table.columns[position].foldedPrefixes[text.folding] = length
            }
        }
        for draft in drafts {
            let index = draft.index(on: table)
            if !table.indexes.contains(where: { $0.isSame(as: index) }) { table.indexes.append(index) }
        }
    }

    private mutating func draft(
        of index: FetchIndexDescription, in entity: EntityDescription
    ) -> IndexDraft? {
        var draft = IndexDraft(index, in: entity)
        for element in index.elements {
            switch element.subject {
            case .expression(let sql):
                draft.members.append(.init(subject: .expression(sql), isAscending: element.isAscending))
                draft.properties += properties(in: sql, of: entity).filter { !draft.properties.contains($0) }
            case .property(let keyPath):
                guard let columns = indexedColumns(keyPath, of: entity) else {
                    // The key of a one-to-one relationship is unique, and so indexed, in the other table.
                    if index.elements.count > 1 {
                        report(
                            .invalidIndex, entity.name, keyPath,
                            "The relationship is stored in the table of its destination. Remove the "
                                + "relationship from the fetch index \(index.name).")
                    }
                    return nil
                }
                draft.properties.append(keyPath)
                draft.members += columns.map { .init(subject: .column($0), isAscending: element.isAscending) }
            case .folded(let keyPath, let options):
                draft.properties.append(keyPath)
                draft.members += (indexedColumns(keyPath, of: entity) ?? []).map {
                    .init(folding: options, of: $0, isAscending: element.isAscending)
                }
            case .localized(let keyPath, let locale):
                draft.properties.append(keyPath)
                draft.members += (indexedColumns(keyPath, of: entity) ?? []).map {
                    .init(
                        subject: .localized($0, locale: locale),
                        isAscending: element.isAscending)
                }
            }
        }
        if draft.members.count > Self.maximumElements {
            report(
                .invalidIndex, entity.name, nil,
                "The fetch index \(index.name) has \(draft.members.count) columns. The maximum is "
                    + "\(Self.maximumElements). Remove elements of the index.")
        }
        if let format = index.partialIndexPredicate {
            do throws(IndexPredicate.Refusal) {
                draft.filter = try IndexPredicate(format) { [self] in filterColumn($0, of: entity) }
                    .condition()
            } catch {
                report(
                    .invalidIndex, entity.name, nil,
                    "The predicate of the fetch index \(index.name) cannot be part of an index: \(error.text) "
                        + "Simplify the predicate, or remove it to index all objects.")
            }
        }
        return draft.members.isEmpty ? nil : draft
    }

    /// The properties whose columns an expression names.
    private func properties(in expression: String, of entity: EntityDescription) -> [String] {
        let words = SQLWords.identifiers(in: expression)
        return model.lineage(of: entity.name).flatMap(\.properties).flatMap { property in
            (indexedColumns(property.name, of: entity) ?? []).filter { words.contains($0.name) }
                .map { $0.path.joined(separator: ".") }
        }
    }

    /// The columns that a key path means; nil for a relationship without a column in the table.
    private func indexedColumns(_ keyPath: String, of entity: EntityDescription) -> [IndexDraft.Column]? {
        let path = keyPath.split(separator: ".").map(String.init)
        guard let name = path.first, let found = model.declaration(of: name, in: entity.name) else {
            return []
        }
        let key = PropertyKey(entity: found.entity.name, name: name)
        guard let attribute = found.property.attribute else {
            guard pairs[key]?.storage == .ownColumn else { return nil }
            return [
                IndexDraft.Column(
                    name: columnName(key.identity), path: [name], type: .int8, attribute: nil,
                    isNullable: true)
            ]
        }
        return AttributeLeaf.leaves(of: attribute, column: "").filter { $0.path.starts(with: path) }.map {
            leaf in
            IndexDraft.Column(
                name: columnName(leaf.identity(in: key.entity)), path: leaf.path, type: leaf.type,
                attribute: leaf.description,
                isNullable: !leaf.isRequired || found.entity.superentity != nil)
        }
    }

    private func filterColumn(_ path: [String], of entity: EntityDescription) -> IndexPredicate.Column? {
        guard let columns = indexedColumns(path.joined(separator: "."), of: entity), columns.count == 1,
            columns[0].path == path
        else {
            return nil
        }
        return IndexPredicate.Column(
            name: columns[0].name, type: columns[0].attribute?.type, isNullable: columns[0].isNullable,
            isCaseInsensitive: columns[0].isCaseInsensitive)
    }
}

extension StoreSchema.Table {
    /// Whether a relationship or a uniqueness rule brings the index already.
    ///
    /// A uniqueness rule over the same columns becomes a unique index in the order that fetches sort by.
    fileprivate mutating func takesOver(_ draft: IndexDraft) -> Bool {
        guard draft.method == .btree, let columns = draft.columnNames else { return false }
        if draft.filter == nil, columns.count == 1, draft.members[0].isRelationship,
            indexes.contains(where: { $0.columns.first == columns[0] })
                || uniques.contains(where: { $0.columns == columns && $0.filter == nil })
        {
            return true
        }
        guard
            let place = uniques.firstIndex(where: {
                $0.columns == columns && $0.filter == draft.filter && !$0.hasDigest
            })
        else { return false }
        // An order of its own goes before the one that Optional attributes get anyhow.
        if uniques[place].elements?.allSatisfy({ $0.isAscending != false }) ?? true {
            uniques[place].elements = draft.plainElements
        }
        return true
    }
}

extension StoreSchema.Unique {
    /// Whether it compares digests of values.
    package var hasDigest: Bool { columns.contains(where: holdsDigest) }

    /// Whether it compares digests of the values of a column.
    package func holdsDigest(of column: String) -> Bool {
        elements?.contains { if case .digest(column, _, _) = $0.subject { true } else { false } } ?? false
    }
}

extension StoreSchema.Index {
    /// Whether both serve the same fetches: an index is read in both directions.
    fileprivate func isSame(as other: Self) -> Bool {
        guard method == other.method, filter == other.filter else { return false }
        let reversed = other.elements.map { element in
            StoreSchema.IndexElement(element.subject, ascending: element.isAscending.map { !$0 })
        }
        return elements == other.elements || elements == reversed
    }
}
