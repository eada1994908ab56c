extension StoreSchema {
    /// What a column that the server computes is made from: another column of the row.
    package enum Generation: Hashable, Sendable {
        /// The same value.
        case copy(column: String)
        /// The text without case and diacritics, as ``StoreSchema/caseAndDiacriticFolding`` makes it.
        case canonical(column: String)
        /// The text in upper case.
        case uppercase(column: String)
        /// The text in lower case.
        case lowercase(column: String)

        /// The column it is made from.
        package var source: String {
            switch self {
            case .copy(let column), .canonical(let column), .uppercase(let column), .lowercase(let column):
                column
            }
        }
    }
}

extension SchemaBuilder {
    /// How the column of a derived attribute is generated; nil where the save has to write it.
    func generation(
        of attribute: AttributeDescription, in entity: EntityDescription
    ) -> StoreSchema.Generation? {
        switch attribute.derivation?.kind {
        case .copy(let path): column(path, entity).map { .copy(column: $0) }
        case .canonical(let path): column(path, entity).map { .canonical(column: $0) }
        case .uppercase(let path): column(path, entity).map { .uppercase(column: $0) }
        case .lowercase(let path): column(path, entity).map { .lowercase(column: $0) }
        case .now, .count, .sum, nil: nil
        }
    }

    private func column(_ path: [String], _ entity: EntityDescription) -> String? {
        guard let source = try? DerivedSource(path, of: entity.name, in: model), source.hops.isEmpty
        else { return nil }
        return columnName(([source.entity] + source.path).joined(separator: PropertyKey.separator))
    }
}

extension AttributeDescription {
    /// What a count or sum of nothing is, so that rows can be inserted before it is computed; nil for others.
    package var emptyAggregate: Value? {
        switch derivation?.kind {
        case .count, .sum: type.coerced(.int(0))
        default: nil
        }
    }
}
