extension StoreSchema {
    /// A table of the store: the rows of one hierarchy, or the links of one relationship.
    public struct Table: Hashable, Sendable {
        /// A table with more columns could not take many more migrations: dropped columns count for ever towards
        /// PostgreSQL's limit of 1,600.
        static let maximumColumns = 1_400

        /// The name, unique among all tables, indexes, constraints and sequences of the store.
        public var name: String
        /// The columns: those of the store first, then properties, roots before subentities.
        public var columns: [Column]
        /// The names of the primary key's columns.
        public var primaryKey: [String]
        /// The primary key constraint's name.
        public var primaryKeyName: String
        /// The references to other tables.
        public var foreignKeys: [ForeignKey]
        /// The conditions every row meets.
        public var checks: [Check]
        /// The combinations of columns that no two rows share.
        public var uniques: [Unique]
        /// The indexes that only make access faster.
        public var indexes: [Index]
        /// The triggers for delete rules that no foreign key can keep.
        public var triggers: [Trigger] = []
        /// Where another program made the table, what is known of it beyond its columns.
        package var existing: Existing?

        /// The column of that name.
        public func column(_ name: String) -> Column? { columns.first { $0.name == name } }
    }

    /// A column of a table.
    public struct Column: Hashable, Sendable {
        /// The name, unique in its table.
        public var name: String
        /// The PostgreSQL type.
        public var type: ColumnType
        /// Whether NULL is allowed.
        public var isNullable: Bool
        /// The value of rows that are inserted without one.
        public var defaultValue: Value?
        /// Whether the default is the next number of ``StoreSchema/idSequence``.
        public var isIDSequenceDefault: Bool
        /// How many characters of a text, or bytes of a `bytea`, its ordered indexes hold; nil where none does, or all
        /// of the value.
        public var indexPrefix: Int?
        /// How many characters of a text, folded by ``FetchIndexElement/folded(_:options:ascending:)``, its ordered
        /// indexes hold, by what is folded; without those that hold all of it.
        public var foldedPrefixes: [PredicateTree.Options: Int] = [:]
        /// Whether a unique index holds a digest of the value instead of the value.
        public var hasDigestIndex = false
        /// Whether texts are compared, sorted and unique without regard to case.
        public var isCaseInsensitive = false
        /// What the server computes the value from; nil for a column that is written.
        public var generation: Generation?
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
    public struct Origin: Hashable, Sendable {
        /// The entity that declares the properties.
        public var entity: String
        /// The properties; elements of composites by dotted path. Empty where the whole entity is meant.
        public var properties: [String]
        /// The model's name of the fetch index, where it is one.
        public var fetchIndex: String?

        package init(_ entity: String, _ properties: [String] = [], fetchIndex: String? = nil) {
            self.entity = entity
            self.properties = properties
            self.fetchIndex = fetchIndex
        }
    }

    /// A reference to the rows of a table; always `DEFERRABLE INITIALLY IMMEDIATE`.
    public struct ForeignKey: Hashable, Sendable {
        /// What happens to the referencing row when the referenced row is deleted.
        public enum Action: Hashable, Sendable {
            /// The deletion fails, at the latest at the end of the transaction.
            case noAction
            /// The referencing row is deleted.
            case cascade
            /// All columns of the reference become NULL.
            case setNull
        }

        /// The constraint's name.
        public var name: String
        /// The referencing columns: a key, and the entity it has where that can vary.
        public var columns: [String]
        /// The table referred to.
        public var referencedTable: String
        /// The columns referred to: `_id`, or `_id` and `_entity`.
        public var referencedColumns: [String]
        /// What a deletion of the referenced row does.
        public var onDelete: Action
        /// The relationship it stores.
        public var origin: Origin
    }

    /// A combination of columns that no two rows share; rows with a NULL among them are exempt.
    public struct Unique: Hashable, Sendable {
        /// The name of the constraint, or of the unique index.
        public var name: String
        /// The columns in order.
        public var columns: [String]
        /// The rows it holds for; nil for all. A filtered rule is an index, not a constraint.
        public var filter: Condition?
        /// What a unique index has of the columns where it is more than their names, such as an order that fetches
        /// use too; nil for a constraint.
        public var elements: [IndexElement]?
        /// Where it comes from.
        public var origin: Origin

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
