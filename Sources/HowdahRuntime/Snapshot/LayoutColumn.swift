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

    init(quoted name: String, _ type: StoreSchema.ColumnType) {
        self.name = name
        self.type = type
        indexPrefix = nil
        hasDigestIndex = false
        isCaseInsensitive = false
    }

    init(_ rawName: String, _ type: StoreSchema.ColumnType, in table: StoreSchema.Table? = nil) {
        self.name = SQLIdentifier.quoted(rawName)
        self.type = type
        let column = table?.column(rawName)
        indexPrefix = column?.indexPrefix
        hasDigestIndex = column?.hasDigestIndex ?? false
        isCaseInsensitive = column?.isCaseInsensitive ?? false
    }
}
