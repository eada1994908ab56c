/// The tables that a model becomes in PostgreSQL, and where each property is found in them.
///
/// A pure function of the model and the schema's name; it does not depend on the order of the entities.
///
/// | attribute type | column |
/// |---|---|
/// | Integer 16, 32, 64 | `smallint`, `integer`, `bigint` |
/// | Decimal | `numeric` |
/// | Double, Float | `double precision`, `real` |
/// | String, URI | `text COLLATE "C"` |
/// | Boolean | `boolean` |
/// | Date | `timestamp with time zone` |
/// | Binary, Transformable | `bytea`; Transformable with ``MappingKey/jsonb``: `jsonb` |
/// | UUID | `uuid` |
/// | Composite | the columns of its elements |
/// | undefined, transient | none |
///
/// A case-insensitive String is stored as it is; its indexes and uniqueness rules hold it folded.
///
/// An entity and all its subentities share one table. A to-one relationship is a foreign key column, a to-many
/// relationship is its inverse's column, and a many-to-many relationship, or a to-many without inverse, is a table
/// of links. When the row that a foreign key refers to is deleted, the key does what the delete rule of the
/// relationship leading *to* it says:
///
/// | delete rule | optional to-one | required to-one | link in a join table |
/// |---|---|---|---|
/// | nullify | `SET NULL` | `NO ACTION` | `CASCADE` |
/// | cascade | `CASCADE` | `CASCADE` | `CASCADE` |
/// | deny | `NO ACTION` | `NO ACTION` | `NO ACTION` |
/// | no action | no foreign key | no foreign key | no foreign key |
///
/// A to-one relationship without inverse behaves as if the rule were nullify, unless its own rule is no action.
/// Rules of the side that holds the column, and cascades across links, are kept by the unit of work; where a
/// relationship asks for it with ``RelationshipDescription/hasDeleteTrigger``, also by a trigger.
package struct StoreSchema: Hashable, Sendable {
    /// The PostgreSQL schema that everything is in.
    package let schemaName: String
    /// All tables in the order of their names.
    package private(set) var tables: [Table]
    /// The mapping of each entity, by the entity's name.
    package let entities: [String: EntityStorage]

    private let entityNames: [String: String]

    /// The sequence that the `_id` of all rows of the store come from.
    package var idSequence: String { Self.idSequence }
    /// The table with one row that says what the store is.
    package var metadataTable: String { Self.metadataTable }
    /// The table with one row per recent save, for stores that resolve lost commits.
    package var saveTable: String { Self.saveTable }
    /// The function that folds case as `[c]` does; its text never changes, another text gets another name.
    package var caseFolding: String { Self.caseFolding }
    /// The function that folds case and diacritics as `[cd]` does.
    package var caseAndDiacriticFolding: String { Self.caseAndDiacriticFolding }
    /// The function that folds diacritics as `[d]` does.
    package var diacriticFolding: String { Self.diacriticFolding }

    package static let idSequence = "_howdah_id"
    package static let metadataTable = "_howdah_store"
    package static let saveTable = "_howdah_save"
    package static let entryTable = "_howdah_metadata"
    package static let caseFolding = "_howdah_fold_c_1"
    package static let caseAndDiacriticFolding = "_howdah_fold_cd_1"
    package static let diacriticFolding = "_howdah_fold_d_1"

    /// The function for what comparisons with `options` do not look at; nil where they look at everything.
    package static func foldingFunction(_ options: PredicateTree.Options) -> String? {
        switch options.folding {
        case .caseInsensitive: caseFolding
        case .diacriticInsensitive: diacriticFolding
        case [.caseInsensitive, .diacriticInsensitive]: caseAndDiacriticFolding
        default: nil
        }
    }

    /// The primary key of an entity's table, where the model gives it no other name.
    package static let idColumn = "_id"
    /// The number that grows with each change of a row, where the model gives it no other name.
    package static let versionColumn = "_version"
    /// The stored name of a row's entity, in tables of hierarchies.
    package static let entityColumn = "_entity"

    /// Lays out `model` in the PostgreSQL schema `schemaName`.
    ///
    /// - Throws: ``ModelError`` with ``ModelError/Code/invalidMapping`` when names given in `userInfo` cannot be
    ///   used, a table has too many columns, or the schema's name is not allowed.
    package init(_ model: ManagedObjectModel, schemaName: String = "public") throws(ModelError) {
        var builder = SchemaBuilder(model: model)
        builder.checkSchemaName(schemaName)
        builder.build()
        guard builder.issues.isEmpty else { throw ModelError(.invalidMapping, issues: builder.issues) }
        self.schemaName = schemaName
        self.tables = builder.tables
        self.entities = builder.entities
        self.entityNames = Dictionary(
            builder.entities.values.map { ($0.storedName, $0.entityName) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The same with other tables of the same names: as they are found where another program made them.
    package func replacing(_ tables: [Table]) -> StoreSchema {
        var schema = self
        schema.tables = tables
        return schema
    }

    /// Why no store of its own can be made of the model: it is one of tables that another program made; nil where it can.
    package var refusalOfOwnStore: String? {
        entities.values.filter { $0.versionColumn == nil }.map(\.rootEntity).min().map {
            "\($0) has \(MappingKey.version) \"\(MappingKey.noVersion)\", which is only for tables that "
                + "another program created. Remove the key from the model to create a store, or open the "
                + "tables with StoreOptions.existingTables."
        }
    }

    /// The table of that name.
    package func table(named name: String) -> Table? { tables.first { $0.name == name } }

    /// The name of the entity whose rows and ids carry `storedName`.
    package func entityName(forStoredName storedName: String) -> String? { entityNames[storedName] }
}
