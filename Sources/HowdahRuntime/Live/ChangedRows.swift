import HowdahModel

/// The objects of one entity that one transaction changed in one way, by the names of the program's model.
struct ChangedRows: Sendable {
    /// The entity's name in the model.
    let entity: String
    let storedEntity: String
    let kind: HistoryChangeType
    /// The changed properties of an update; nil if they are unknown.
    let properties: Set<String>?
    let keys: [Int64]

    /// Reads a row of the history; nil for an entity that the model does not have.
    init?(_ row: HistoryRow, in layouts: StoreLayout) {
        guard let layout = layouts.layout(storedName: row.entity) else { return nil }
        entity = layout.name
        storedEntity = row.entity
        kind = row.kind
        keys = row.ids
        properties = row.properties.map { names in
            let known = Dictionary(
                layout.slots.map { ($0.renamingIdentifier ?? $0.name, $0.name) },
                uniquingKeysWith: { first, _ in first })
            return Set(names.map { known[$0] ?? $0 })
        }
    }

    init(
        _ entity: String, stored: String? = nil, _ kind: HistoryChangeType, properties: Set<String>? = nil,
        keys: [Int64]
    ) {
        self.entity = entity
        storedEntity = stored ?? entity
        self.kind = kind
        self.properties = properties
        self.keys = keys
    }
}
