extension StoreSchema {
    /// A table of the store: the rows of one hierarchy, or the links of one relationship.
    package struct Table: Hashable, Sendable {
        /// A table with more columns could not take many more migrations: dropped columns count for ever towards
        /// PostgreSQL's limit of 1,600.
        static let maximumColumns = 1_400

        /// The name, unique among all tables, indexes, constraints and sequences of the store.
        package var name: String
        /// The columns: those of the store first, then properties, roots before subentities.
        package var columns: [Column]
        /// The names of the primary key's columns.
        package var primaryKey: [String]
        /// The primary key constraint's name.
        package var primaryKeyName: String
        /// The references to other tables.
        package var foreignKeys: [ForeignKey]
        /// The conditions every row meets.
        package var checks: [Check]
        /// The combinations of columns that no two rows share.
        package var uniques: [Unique]
        /// The indexes that only make access faster.
        package var indexes: [Index]
        /// The triggers for delete rules that no foreign key can keep.
        package var triggers: [Trigger] = []
        /// Where another program made the table, what is known of it beyond its columns.
        package var existing: Existing?

        /// The column of that name.
        package func column(_ name: String) -> Column? { columns.first { $0.name == name } }
    }

    /// A column of a table.
    package struct Column: Hashable, Sendable {
        /// The name, unique in its table.
        package var name: String
        /// The PostgreSQL type.
        package var type: ColumnType
        /// Whether NULL is allowed.
        package var isNullable: Bool
        /// The value of rows that are inserted without one.
        package var defaultValue: Value?
        /// Whether the default is the next number of ``StoreSchema/idSequence``.
        package var isIDSequenceDefault: Bool
        /// How many characters of a text, or bytes of a `bytea`, its ordered indexes hold; nil where none does, or all
        /// of the value.
        package var indexPrefix: Int?
        /// How many characters of a text, folded by ``FetchIndexElement/folded(_:options:ascending:)``, its ordered
        /// indexes hold, by what is folded; without those that hold all of it.
        package var foldedPrefixes: [PredicateTree.Options: Int] = [:]
        /// Whether a unique index holds a digest of the value instead of the value.
        package var hasDigestIndex = false
        /// Whether texts are compared, sorted and unique without regard to case.
        package var isCaseInsensitive = false
        /// What the server computes the value from; nil for a column that is written.
        package var generation: Generation?
        /// Where another program made the column, how its values are exchanged; nil where that follows from its type.
        package var form: Form?
        /// Likewise, what it does not hold.
        package var limit: Limit?

        init(
            _ name: String, _ type: ColumnType, nullable: Bool = false, default defaultValue: Value? = nil,
            isIDSequenceDefault: Bool = false, isCaseInsensitive: Bool = false,
            generation: Generation? = nil
        ) {
            self.name = name
            self.type = type
            self.isNullable = nullable
            self.defaultValue = defaultValue
            self.isIDSequenceDefault = isIDSequenceDefault
            self.isCaseInsensitive = isCaseInsensitive
            self.generation = generation
        }
    }

    /// The declarations that a constraint comes from, for errors that name them.
    package struct Origin: Hashable, Sendable {
        /// The entity that declares the properties.
        package var entity: String
        /// The properties; elements of composites by dotted path. Empty where the whole entity is meant.
        package var properties: [String]
        /// The model's name of the fetch index, where it is one.
        package var fetchIndex: String?

        package init(_ entity: String, _ properties: [String] = [], fetchIndex: String? = nil) {
            self.entity = entity
            self.properties = properties
            self.fetchIndex = fetchIndex
        }
    }

    /// A reference to the rows of a table; always `DEFERRABLE INITIALLY IMMEDIATE`.
    package struct ForeignKey: Hashable, Sendable {
        /// What happens to the referencing row when the referenced row is deleted.
        package enum Action: Hashable, Sendable {
            /// The deletion fails, at the latest at the end of the transaction.
            case noAction
            /// The referencing row is deleted.
            case cascade
            /// All columns of the reference become NULL.
            case setNull
        }

        /// The constraint's name.
        package var name: String
        /// The referencing columns: a key, and the entity it has where that can vary.
        package var columns: [String]
        /// The table referred to.
        package var referencedTable: String
        /// The columns referred to: `_id`, or `_id` and `_entity`.
        package var referencedColumns: [String]
        /// What a deletion of the referenced row does.
        package var onDelete: Action
        /// The relationship it stores.
        package var origin: Origin
    }

    /// A combination of columns that no two rows share; rows with a NULL among them are exempt.
    package struct Unique: Hashable, Sendable {
        /// The name of the constraint, or of the unique index.
        package var name: String
        /// The columns in order.
        package var columns: [String]
        /// The rows it holds for; nil for all. A filtered rule is an index, not a constraint.
        package var filter: Condition?
        /// What a unique index has of the columns where it is more than their names, such as an order that fetches
        /// use too; nil for a constraint.
        package var elements: [IndexElement]?
        /// Where it comes from.
        package var origin: Origin

        package init(
            name: String, columns: [String], filter: Condition? = nil, elements: [IndexElement]? = nil,
            origin: Origin
        ) {
            self.name = name
            self.columns = columns
            self.filter = filter
            self.elements = elements
            self.origin = origin
        }
    }
}
