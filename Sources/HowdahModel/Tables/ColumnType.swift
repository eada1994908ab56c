extension StoreSchema {
    /// The PostgreSQL type of a column.
    package indirect enum ColumnType: Hashable, Sendable {
        /// `smallint`
        case int2
        /// `integer`
        case int4
        /// `bigint`
        case int8
        /// `numeric` without precision
        case numeric
        /// `real`
        case float4
        /// `double precision`
        case float8
        /// `text` with the collation "C"
        case text
        /// `boolean`
        case boolean
        /// `timestamp with time zone`
        case timestamptz
        /// `bytea`
        case bytea
        /// `uuid`
        case uuid
        /// `jsonb`
        case jsonb
        /// An array of another type, of one dimension and without NULLs; of texts with the collation "C"
        case array(of: ColumnType)

        /// The elements' type where this is an array.
        package var element: ColumnType? {
            if case .array(let element) = self { element } else { nil }
        }
    }
}

extension AttributeDescription {
    /// The type of the attribute's one column; nil for composites and for what is not stored.
    package var columnType: StoreSchema.ColumnType? {
        guard isStored else { return nil }
        return isStoredAsJSON ? .jsonb : type.columnType
    }
}

extension AttributeType {
    /// The type of a column that holds one value; nil where there is none.
    fileprivate var columnType: StoreSchema.ColumnType? {
        switch kind {
        case .undefined, .composite: nil
        case .integer16: .int2
        case .integer32: .int4
        case .integer64: .int8
        case .decimal: .numeric
        case .double: .float8
        case .float: .float4
        case .string, .uri: .text
        case .boolean: .boolean
        case .date: .timestamptz
        case .binary, .transformable: .bytea
        case .uuid: .uuid
        case .array(let element): element.isElement ? element.columnType.map { .array(of: $0) } : nil
        }
    }
}
