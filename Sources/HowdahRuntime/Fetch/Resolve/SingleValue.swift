import HowdahModel

/// An operand that is one SQL expression.
struct SingleValue {
    let sql: String
    /// Makes the operand with another expression instead of this one.
    private let make: (_ sql: String, _ isNullable: Bool) -> ResolvedOperand
    private let isNullable: Bool
    /// The entity, if the values are objects.
    let entity: EntityLayout?
    private let type: StoreSchema.ColumnType?

    init(_ column: ResolvedColumn) {
        sql = column.sql
        isNullable = column.isNullable
        entity = nil
        type = column.type
        make = { sql, isNullable in
            var other = ResolvedColumn(sql: sql, type: column.type, isNullable: isNullable, name: column.name)
            other.isCaseInsensitive = column.isCaseInsensitive
            other.isBytewise = column.isBytewise
            return .column(other)
        }
    }

    init(object sql: String, _ entity: EntityLayout, isNullable: Bool) {
        self.sql = sql
        self.isNullable = isNullable
        self.entity = entity
        type = nil
        make = { .object(sql: $0, entity: entity, isNullable: $1) }
    }

    func at(_ sql: String, isNullable: Bool? = nil) -> ResolvedOperand {
        make(sql, isNullable ?? self.isNullable)
    }

    /// Returns a Boolean value that indicates whether both can be members of one collection.
    func isAlike(_ other: SingleValue) -> Bool {
        if let entity, let rival = other.entity { return entity.root == rival.root }
        return type == other.type && (entity == nil) == (other.entity == nil)
    }
}

extension PredicateRenderer {
    /// Returns an operand as one expression.
    func single(_ operand: ResolvedOperand) throws -> SingleValue {
        switch operand {
        case .column(let column): return SingleValue(column)
        case .object(let sql, let entity, let isNullable):
            return SingleValue(object: sql, entity, isNullable: isNullable)
        case .composite, .json, .constant, .collection, .list:
            throw PredicateTreeError(
                .invalidOperand,
                "The predicate needs a single value, but has a composite, a collection or JSON. Use another "
                    + "attribute, or one element of the composite."
            )
        }
    }
}
