import HowdahModel
import PQClient

/// One column of an entity's rows: its quoted name and how its cells are coded.
struct LayoutColumn: Sendable, Hashable {
    let name: String
    let type: StoreSchema.ColumnType

    init(quoted name: String, _ type: StoreSchema.ColumnType) {
        self.name = name
        self.type = type
    }

    init(_ rawName: String, _ type: StoreSchema.ColumnType) {
        self.name = SQLIdentifier.quoted(rawName)
        self.type = type
    }
}
