package import HowdahModel

/// One side of a comparison after its key path was looked up in the model.
package enum ResolvedOperand {
    case column(ResolvedColumn)
    /// The object at the end of a path, by the expression of its key.
    case object(sql: String, entity: EntityLayout, isNullable: Bool)
    /// A composite, by the expressions of its columns.
    case composite([ResolvedColumn])
    /// What lies under these names in a `jsonb` column.
    case json(ResolvedColumn, path: [String])
    case constant(Value)
    case collection([Value])
    /// Several values of which at least one is no constant.
    case list([ResolvedOperand])
}

/// A column in some scope.
package struct ResolvedColumn {
    var sql: String
    package let type: StoreSchema.ColumnType
    let isNullable: Bool
    /// Entity and property, for messages.
    let name: String
    /// How much of a long value its ordered indexes hold.
    var indexPrefix: Int?
    /// Likewise of texts that are compared folded, by what is folded.
    var foldedPrefixes: [PredicateTree.Options: Int] = [:]
    /// Whether a unique index holds a digest of the value.
    var hasDigestIndex = false
    /// Whether it is compared without regard to case where nothing else is said, and its indexes hold it so.
    var isCaseInsensitive = false
    /// Whether sorting by it leaves out where NULL goes; see ``LayoutColumn/sortsAsConstraint``.
    var sortsAsConstraint = false
    /// Whether texts are ordered byte by byte, as everywhere in a store of its own.
    var isBytewise = true
    /// What `sql` goes through, and what it is compared with has to.
    private(set) var folding: FoldingFunction?
}

extension ResolvedOperand {
    var isConstant: Bool {
        switch self {
        case .constant, .collection: true
        default: false
        }
    }

    /// Whether it is a text that is compared without regard to case where nothing else is said.
    var isCaseInsensitive: Bool {
        if case .column(let column) = self { column.isCaseInsensitive } else { false }
    }

    /// The operand as it is compared with `options`.
    func folded(_ options: PredicateTree.Options, in place: FoldingFunction.Place) -> ResolvedOperand {
        guard case .column(let column) = self else { return self }
        return .column(column.folded(options, in: place))
    }
}

extension ResolvedColumn {
    /// The column as it is compared with `options`; only texts are folded.
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

    /// What is compared with the column, such as a parameter.
    func alike(_ sql: String) -> String { folding?.sql(sql) ?? sql }

    /// The column as texts are ordered in memory; only where another program's table orders them otherwise does it
    /// say so, since no index of that order can be used then.
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
    /// The name where it does not begin the sentence.
    var nameInside: String {
        name.hasPrefix("A ") || name.hasPrefix("An ") ? "a\(name.dropFirst())" : name
    }

    /// A Boolean as 0 or 1; any other column as it is.
    var asNumber: ResolvedColumn {
        guard type == .boolean else { return self }
        return ResolvedColumn(sql: "\(sql)::int4", type: .int4, isNullable: isNullable, name: name)
    }

    /// The column for a comparison with another type, if PostgreSQL has no operator for the two and would cast itself: an
    /// operator that another role made for them would come first.
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

    /// A floating-point number as the shortest decimal that reads as it; any other column as it is.
    ///
    /// By way of its text, because a cast from float8 to numeric keeps 15 digits only.
    var asNumeric: ResolvedColumn {
        guard type == .float4 || type == .float8 else { return self }
        return ResolvedColumn(
            sql: "\(sql)::float8::text::numeric", type: .numeric, isNullable: isNullable, name: name)
    }
}
