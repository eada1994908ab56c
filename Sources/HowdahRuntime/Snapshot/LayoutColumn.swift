import HowdahModel
import PQClient

/// One column of an entity's rows: its quoted name and how its cells are coded.
struct LayoutColumn: Sendable, Hashable {
    let name: String
    let type: StoreSchema.ColumnType
    /// How much of a long value its ordered indexes hold; nil where none does, or all of it.
    let indexPrefix: Int?
    /// Whether a unique index holds a digest of the value.
    let hasDigestIndex: Bool
    /// Whether texts are compared, sorted and unique without regard to case.
    let isCaseInsensitive: Bool
    /// Whether the only index that sorts by it is that of a uniqueness constraint, which has the server's own order; for
    /// a column without NULL that order is the same.
    let sortsAsConstraint: Bool

    init(quoted name: String, _ type: StoreSchema.ColumnType) {
        self.name = name
        self.type = type
        indexPrefix = nil
        hasDigestIndex = false
        isCaseInsensitive = false
        sortsAsConstraint = false
    }

    init(_ rawName: String, _ type: StoreSchema.ColumnType, in table: StoreSchema.Table? = nil) {
        self.name = SQLIdentifier.quoted(rawName)
        self.type = type
        let column = table?.column(rawName)
        indexPrefix = column?.indexPrefix
        hasDigestIndex = column?.hasDigestIndex ?? false
        isCaseInsensitive = column?.isCaseInsensitive ?? false
        sortsAsConstraint = table?.sortsAsConstraint(rawName) ?? false
    }
}

extension StoreSchema.Table {
    fileprivate func sortsAsConstraint(_ name: String) -> Bool {
        guard column(name)?.isNullable == false,
            uniques.contains(where: { $0.columns.first == name && $0.elements == nil && $0.filter == nil })
        else { return false }
        // Any other index over it was made in the order that all sorts have.
        return !indexes.contains { $0.method == .btree && $0.columns.first == name }
            && !uniques.contains { $0.columns.first == name && $0.elements != nil }
    }
}
