import HowdahModel

/// One side of a comparison after its key path was looked up in the model.
enum ResolvedOperand {
    case column(ResolvedColumn)
    /// The object at the end of a path, by the expression of its key.
    case object(sql: String, entity: EntityLayout, isNullable: Bool)
    /// A composite, by the expressions of its columns.
    case composite([ResolvedColumn])
    /// The number of members of a to-many relationship.
    case count(sql: String)
    case constant(Value)
    case collection([Value])
}

/// A column in some scope.
struct ResolvedColumn {
    let sql: String
    let type: StoreSchema.ColumnType
    let isNullable: Bool
    /// Entity and property, for messages.
    let name: String
}
