/// Where one property of an entity is stored.
package enum PropertyStorage: Hashable, Sendable {
    /// In columns of the entity's table; in none, where the attribute is not stored.
    case attribute(AttributeMapping)
    /// In a foreign key column of the entity's table.
    case toOne(ToOneMapping)
    /// In the foreign key column of the destination's table that the inverse is stored in.
    case inverse(InverseMapping)
    /// In a table of links.
    case join(JoinMapping)
    /// Nowhere: a transient relationship lives in memory.
    case transient(RelationshipDescription)

    /// The property's name.
    package var name: String {
        switch self {
        case .attribute(let mapping): mapping.description.name
        case .toOne(let mapping): mapping.description.name
        case .inverse(let mapping): mapping.description.name
        case .join(let mapping): mapping.description.name
        case .transient(let description): description.name
        }
    }

    /// The relationship, where it is one.
    package var relationship: RelationshipDescription? {
        switch self {
        case .attribute: nil
        case .toOne(let mapping): mapping.description
        case .inverse(let mapping): mapping.description
        case .join(let mapping): mapping.description
        case .transient(let description): description
        }
    }
}

/// One column that holds an attribute or one element of a composite.
package struct ColumnRef: Hashable, Sendable {
    /// The column's name.
    package let name: String
    /// The column's type.
    package let type: StoreSchema.ColumnType
    /// The attribute's name, followed by the names of the elements that lead to the value.
    package let path: [String]
    /// The type of the value in it, never a composite.
    package let attributeType: AttributeType
    /// Whether the value may be nil where everything that encloses it is there.
    package let isOptional: Bool
}

/// The columns of an attribute.
package struct AttributeMapping: Hashable, Sendable {
    /// The attribute.
    package let description: AttributeDescription
    /// One column, or the flattened leaves of a composite in order, or none.
    package let columns: [ColumnRef]
}

/// A foreign key in the entity's own table.
package struct ToOneMapping: Hashable, Sendable {
    /// The relationship.
    package let description: RelationshipDescription
    /// The column with the destination's `_id`.
    package let column: String
    /// The column with the stored name of the destination's entity; nil where it is always the same.
    package let entityColumn: String?
    /// The table the key refers to.
    package let destinationTable: String
}

/// A foreign key in the destination's table that refers to the entity's own table.
package struct InverseMapping: Hashable, Sendable {
    /// The relationship.
    package let description: RelationshipDescription
    /// The destination's table.
    package let table: String
    /// The column with the owner's `_id`.
    package let column: String
    /// The column with the stored name of the owner's entity; nil where it is always the same.
    package let entityColumn: String?
    /// The column with the place of the row among the owner's destinations; nil where there is no order.
    package let orderColumn: String?
    /// Whether an owner has at most one destination.
    package let isToOne: Bool
}

/// One direction of a table of links.
package struct JoinMapping: Hashable, Sendable {
    /// The relationship.
    package let description: RelationshipDescription
    /// The table of links.
    package let joinTable: String
    /// The column with the owner's `_id`.
    package let ownColumn: String
    /// The column with the stored name of the owner's entity; nil where it is always the same.
    package let ownEntityColumn: String?
    /// The column with the destination's `_id`.
    package let otherColumn: String
    /// The column with the stored name of the destination's entity; nil where it is always the same.
    package let otherEntityColumn: String?
    /// The column with the place of the link among the owner's; nil where this direction has no order.
    package let ownOrderColumn: String?
    /// The column with the place of the link among the destination's; nil where that direction has no order.
    package let otherOrderColumn: String?
    /// The table that ``otherColumn`` refers to.
    package let destinationTable: String
}
