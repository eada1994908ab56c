package import HowdahModel
package import PQClient

/// One column of an entity's rows: its quoted name and the coding of its cells.
package struct LayoutColumn: Sendable, Hashable {
    package let name: String
    package let type: StoreSchema.ColumnType
    /// The length of a long value's beginning in its ordered indexes; nil if none has it, or all of it.
    let indexPrefix: Int?
    /// The same for folded texts, by folding.
    let foldedPrefixes: [PredicateTree.Options: Int]
    /// A Boolean value that indicates whether a unique index has a digest of the value.
    package let hasDigestIndex: Bool
    /// A Boolean value that indicates whether comparing, sorting and uniqueness of texts ignore case.
    package let isCaseInsensitive: Bool
    /// A Boolean value that indicates whether its only sorted index is that of a uniqueness constraint.
    ///
    /// That index has the server's own order. For a column without NULL that order is the same.
    let sortsAsConstraint: Bool
    /// The differences from a column that the store would create; nil if there are none.
    let form: StoreSchema.Column.Form?
    /// The values of its type that the column of another program does not hold.
    let limit: StoreSchema.Column.Limit?

    init(quoted name: String, _ type: StoreSchema.ColumnType) {
        self.name = name
        self.type = type
        indexPrefix = nil
        foldedPrefixes = [:]
        hasDigestIndex = false
        isCaseInsensitive = false
        sortsAsConstraint = false
        form = nil
        limit = nil
    }

    /// - Parameter type: The type of the column unless the table has another one.
    init(_ rawName: String, _ type: StoreSchema.ColumnType, in table: StoreSchema.Table? = nil) {
        self.name = SQLIdentifier.quoted(rawName)
        let column = table?.column(rawName)
        self.type = column?.type ?? type
        indexPrefix = column?.indexPrefix
        foldedPrefixes = column?.foldedPrefixes ?? [:]
        hasDigestIndex = column?.hasDigestIndex ?? false
        isCaseInsensitive = column?.isCaseInsensitive ?? false
        sortsAsConstraint = table?.sortsAsConstraint(rawName) ?? false
        form = column?.form
        limit = column?.limit
    }

    /// The type of a parameter that is written to the column.
    package var sent: OID { form.map { OID(rawValue: $0.sent) } ?? type.oid }

    /// The type of ``selected(_:)``.
    var received: OID { form.map { OID(rawValue: $0.received) } ?? (type == .jsonb ? .bytea : type.oid) }

    /// A Boolean value that indicates whether values can be sent as arrays, which `unnest` splits.
    var isUnnested: Bool { type.element == nil && sent.array != nil }

    /// Returns the column for a select list.
    ///
    /// JSON is selected as the bytes of its text, which is the value of a Transformable attribute.
    func selected(_ alias: String) -> String {
        type == .jsonb
            ? "pg_catalog.convert_to(\(alias).\(name)::text, 'UTF8')" : compared(alias)
    }

    /// Returns the column for comparisons with values.
    package func compared(_ alias: String) -> String {
        switch form?.reading {
        case nil, .plain: "\(alias).\(name)"
        case .text: "\(alias).\(name)::pg_catalog.text"
        case .utc: "(\(alias).\(name) AT TIME ZONE 'UTC')"
        }
    }
}

extension StoreSchema.Table {
    fileprivate func sortsAsConstraint(_ name: String) -> Bool {
        guard column(name)?.isNullable == false,
            uniques.contains(where: { $0.columns.first == name && $0.elements == nil && $0.filter == nil })
        else { return false }
        // Any other index over it was made in the order that all sorts have.
        return !indexes.contains { $0.method == .btree && $0.sortedColumn == name }
            && !uniques.contains { $0.columns.first == name && $0.elements != nil }
    }
}

extension StoreSchema.Index {
    /// The first column of its order; folded elements have another order.
    fileprivate var sortedColumn: String? {
        if case .folding = elements.first?.subject { nil } else { columns.first }
    }
}
