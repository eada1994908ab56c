internal import HowdahModel

/// What the columns of a schema hold, in the words of its model.
struct ColumnUses {
    /// What a column holds of an object.
    enum Content: Hashable {
        /// A value: the attribute, then the elements that lead to it.
        case leaf([String])
        /// The key of the destination.
        case toOne(String)
        /// The destination's entity.
        case toOneEntity(String)
        /// The place among the members of the destination's list.
        case order(String)

        var property: String {
            switch self {
            case .leaf(let path): path[0]
            case .toOne(let name), .toOneEntity(let name), .order(let name): name
            }
        }
    }

    /// The column of everything that an object has in its own row, by entity.
    private(set) var columns: [String: [Content: String]] = [:]
    /// By table and column: what it holds in the rows of which entities.
    private(set) var contents: [String: [String: [String: Content]]] = [:]

    init(_ schema: StoreSchema) {
        for entity in schema.entities.values {
            var columns: [Content: String] = [:]
            for property in entity.properties {
                switch property {
                case .attribute(let mapping):
                    for column in mapping.columns { columns[.leaf(column.path)] = column.name }
                case .toOne(let mapping):
                    let name = mapping.description.name
                    columns[.toOne(name)] = mapping.column
                    columns[.toOneEntity(name)] = mapping.entityColumn
                    columns[.order(name)] = Self.order(of: mapping, entity, schema)
                case .inverse, .join, .transient: break
                }
            }
            self.columns[entity.entityName] = columns
            for (content, column) in columns {
                contents[entity.table, default: [:]][column, default: [:]][entity.entityName] = content
            }
        }
    }

    private static func order(
        of mapping: ToOneMapping, _ entity: EntityStorage, _ schema: StoreSchema
    ) -> String? {
        guard let inverse = mapping.description.inverse,
            case .inverse(let found)? = schema.entities[mapping.description.destination]?
                .property(named: inverse)?.mapping, found.table == entity.table,
            found.column == mapping.column
        else { return nil }
        return found.orderColumn
    }

    /// The column of something that an object has.
    func column(_ content: Content, of entity: String) -> String? { columns[entity]?[content] }

    /// What a column holds, by entity.
    func contents(of column: String, in table: String) -> [String: Content] {
        contents[table]?[column] ?? [:]
    }
}
