package import HowdahModel
package import PQClient

/// One column of an entity's rows: its quoted name and how its cells are coded.
package struct LayoutColumn: Sendable, Hashable {
    package let name: String
    package let type: StoreSchema.ColumnType
    /// How much of a long value its ordered indexes hold; nil where none does, or all of it.
    let indexPrefix: Int?
    /// Likewise of folded texts, by what is folded.
    let foldedPrefixes: [PredicateTree.Options: Int]
    /// Whether a unique index holds a digest of the value.
    package let hasDigestIndex: Bool
    /// Whether texts are compared, sorted and unique without regard to case.
    package let isCaseInsensitive: Bool
    /// Whether the only index that sorts by it is that of a uniqueness constraint, which has the server's own order; for
    /// a column without NULL that order is the same.
    let sortsAsConstraint: Bool
    /// How the column differs from the one that a store of its own would have; nil where it does not.
    let form: StoreSchema.Column.Form?
    /// What the column of another program does not hold, though its type does.
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

    /// - Parameter type: the type of the column where the table says nothing else.
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

    /// The type that ``selected(_:)`` comes as.
    var received: OID { form.map { OID(rawValue: $0.received) } ?? (type == .jsonb ? .bytea : type.oid) }

    /// Whether values can be sent as arrays, to be taken apart again by `unnest`.
    var isUnnested: Bool { type.element == nil && sent.array != nil }

    /// The column as it is brought.
    ///
    /// JSON comes as the bytes of its text, which is what a Transformable attribute holds.
    func selected(_ alias: String) -> String {
        type == .jsonb
            ? "pg_catalog.convert_to(\(alias).\(name)::text, 'UTF8')" : compared(alias)
    }

    /// The column as it is compared with values.
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
    /// The column that it is in the order of, first of all; what is folded has another order.
    fileprivate var sortedColumn: String? {
        if case .folding = elements.first?.subject { nil } else { columns.first }
    }
}
