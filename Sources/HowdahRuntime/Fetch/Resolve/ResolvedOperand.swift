package import HowdahModel

/// One side of a comparison after its key path was resolved in the model.
package enum ResolvedOperand {
    case column(ResolvedColumn)
    /// The object at the end of a path, by the expression of its key.
    case object(sql: String, entity: EntityLayout, isNullable: Bool)
    /// A composite, by the expressions of its columns.
    case composite([ResolvedColumn])
    /// The value under these names in a `jsonb` column.
    case json(ResolvedColumn, path: [String])
    case constant(Value)
    case collection([Value])
    /// Several values, at least one of which is not a constant.
    case list([ResolvedOperand])
}

/// A column in some scope.
package struct ResolvedColumn {
    var sql: String
    package let type: StoreSchema.ColumnType
    let isNullable: Bool
    /// Entity and property, for messages.
    let name: String
    /// The length of a long value's beginning in its ordered indexes.
    var indexPrefix: Int?
    /// The same for texts that are compared folded, by folding.
    var foldedPrefixes: [PredicateTree.Options: Int] = [:]
    /// A Boolean value that indicates whether a unique index has a digest of the value.
    var hasDigestIndex = false
    /// A Boolean value that indicates whether comparisons ignore case by default, as in its indexes.
    var isCaseInsensitive = false
    /// A Boolean value that indicates whether sorting by it states no position for NULL.
    ///
    /// See ``LayoutColumn/sortsAsConstraint``.
    var sortsAsConstraint = false
    /// A Boolean value that indicates whether texts are ordered byte by byte, as in all tables that the store
    /// created.
    var isBytewise = true
    /// The folding of `sql`, which compared values need too.
    private(set) var folding: FoldingFunction?
}

extension ResolvedOperand {
    var isConstant: Bool {
        switch self {
        case .constant, .collection: true
        default: false
        }
    }

    /// A Boolean value that indicates whether it is a text whose comparisons ignore case by default.
    var isCaseInsensitive: Bool {
        if case .column(let column) = self { column.isCaseInsensitive } else { false }
    }

    /// Returns the operand for comparisons with `options`.
    func folded(_ options: PredicateTree.Options, in place: FoldingFunction.Place) -> ResolvedOperand {
        guard case .column(let column) = self else { return self }
        return .column(column.folded(options, in: place))
    }
}

extension ResolvedColumn {
    /// Returns the column for comparisons with `options`; only texts are folded.
    func folded(_ options: PredicateTree.Options, in place: FoldingFunction.Place) -> ResolvedColumn {
        guard type == .text else { return self }
        var column = self
        // What indexes hold of it says nothing about how it compares otherwise.
        if options.folding != (isCaseInsensitive ? .caseInsensitive : []) {
            column.indexPrefix = foldedPrefixes[options.folding]
            column.hasDigestIndex = false
        }
        guard let folding = FoldingFunction(options, in: place) else { return column }
        column.sql = folding.sql(sql)
        column.folding = folding
        return column
    }

    /// Returns the SQL of a value to compare with the column, such as a parameter.
    func alike(_ sql: String) -> String { folding?.sql(sql) ?? sql }

    /// The column with texts in the order of memory.
    ///
    /// It states the order only if another program's table has another one, because no index of that order
    /// can be used then.
    var ordered: ResolvedColumn {
        if isBytewise { return self }
        var column = self
        column.sql = "(\(sql) COLLATE pg_catalog.\"C\")"
        column.indexPrefix = nil
        column.hasDigestIndex = false
        return column
    }
}

extension ResolvedColumn {
    /// The name within a sentence.
    var nameInside: String {
        name.hasPrefix("A ") || name.hasPrefix("An ") ? "a\(name.dropFirst())" : name
    }

    /// A Boolean as 0 or 1; any other column unchanged.
    var asNumber: ResolvedColumn {
        guard type == .boolean else { return self }
        return ResolvedColumn(sql: "\(sql)::int4", type: .int4, isNullable: isNullable, name: name)
    }

    /// Returns the column for a comparison with another type, cast if PostgreSQL has no operator for the two.
    ///
    /// PostgreSQL would cast too, but an operator that another role created for them would have precedence.
    func cast(for other: StoreSchema.ColumnType) -> ResolvedColumn {
        let integers: Set<StoreSchema.ColumnType> = [.int2, .int4, .int8]
        let wider: StoreSchema.ColumnType
        switch (type, other) {
        case (_, .numeric) where integers.contains(type): wider = .numeric
        case (_, .float4) where integers.contains(type) || type == .numeric: wider = .float8
        case (_, .float8) where integers.contains(type) || type == .numeric: wider = .float8
        default: return self
        }
        return ResolvedColumn(
            sql: "\(sql)::\(wider == .numeric ? "numeric" : "float8")", type: wider, isNullable: isNullable,
            name: name)
    }

    /// A floating-point number as the shortest decimal that reads as it; any other column unchanged.
    ///
    /// It uses the number's text, because a cast from float8 to numeric keeps only 15 digits.
    var asNumeric: ResolvedColumn {
        guard type == .float4 || type == .float8 else { return self }
        return ResolvedColumn(
            sql: "\(sql)::float8::text::numeric", type: .numeric, isNullable: isNullable, name: name)
    }
}
