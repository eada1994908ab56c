internal import Foundation
internal import HowdahModel

/// What a PostgreSQL schema has in it: tables with their columns, constraints and indexes.
///
/// Read from the catalog in one statement, as JSON that PostgreSQL puts together, so that it can be kept and looked
/// at without a server.
package struct DatabaseSchema: Hashable, Sendable, Codable {
    /// Whether there is a schema of that name.
    package var exists: Bool
    /// The tables, by name.
    package var tables: [Table]
    /// The names of views and foreign tables.
    package var others: [String]

    /// A table, partitioned or not.
    package struct Table: Hashable, Sendable, Codable {
        package var name: String
        package var columns: [Column]
        package var constraints: [Constraint]
        package var indexes: [Index]
        /// Whether its rows are in partitions.
        package var isPartitioned: Bool
        /// The tables that it inherits from, partitions aside.
        package var parents: [String]
        /// Whether other tables inherit from it, so that its rows are also theirs.
        package var hasChildren: Bool
        /// Whether policies decide which rows a role sees.
        package var hasRowSecurity: Bool
        /// The names of its triggers, those of foreign keys aside.
        package var triggers: [String]
        /// The names of rules that rewrite statements.
        package var rules: [String]
    }

    /// A column of a table.
    package struct Column: Hashable, Sendable, Codable {
        package var name: String
        /// The name of the type in the catalog, such as `int4`; a domain's base type.
        package var type: String
        /// The type as SQL spells it.
        package var spelling: String
        /// The name of the type of an array's elements.
        package var elementType: String?
        /// The labels of an enum, in order.
        package var labels: [String]?
        /// Whether the type is a domain, whose constraints are not read.
        package var isDomain: Bool
        /// The most characters of a `varchar` or `char`.
        package var length: Int?
        package var isNullable: Bool
        /// The expression of a default or of a generated column.
        package var expression: String?
        /// Whether the value is generated, rather than a default.
        package var isGenerated: Bool
        package var isIdentity: Bool
        /// Whether the server gives every value itself unless it is overridden.
        package var isAlwaysIdentity: Bool
        /// The number of the type; a domain's base type.
        package var typeNumber: UInt32
        /// Whether texts are ordered byte by byte; true for other types.
        package var isBytewise: Bool
        /// Whether texts that differ are never equal.
        package var isDeterministic: Bool
        /// The sequence of an identity or of a default, with its schema.
        package var sequence: Sequence?

        /// The name of a sequence.
        package struct Sequence: Hashable, Sendable, Codable {
            package var schema: String
            package var name: String
        }
    }

    /// A constraint of a table.
    package struct Constraint: Hashable, Sendable, Codable {
        /// `p`rimary key, `u`nique, `f`oreign key, `c`heck, e`x`clusion, as in the catalog.
        package var kind: String
        package var name: String
        package var columns: [String]
        package var definition: String
        /// The table that a foreign key refers to; with its schema, where that is another one.
        package var referencedTable: String?
        package var referencedColumns: [String]?
        /// As in the catalog: `a` no action, `r` restrict, `c` cascade, `n` set null, `d` set default.
        package var deleteAction: String?
        /// Whether it can be checked at the end of a transaction.
        package var isDeferrable: Bool
        /// Whether two rows with NULL are equal.
        package var isNullEqual: Bool
    }

    /// An index that no constraint has made.
    package struct Index: Hashable, Sendable, Codable {
        package var name: String
        package var method: String
        package var isUnique: Bool
        /// Whether two rows with NULL are equal.
        package var isNullEqual: Bool
        /// Whether it has columns that are no keys.
        package var hasPayload: Bool
        /// The condition of a partial index.
        package var predicate: String?
        package var elements: [Element]

        /// One key of an index.
        package struct Element: Hashable, Sendable, Codable {
            /// The column; nil for an expression.
            package var column: String?
            /// The expression as SQL.
            package var definition: String
            package var isDescending: Bool
            /// The operator class, where it is not the type's own.
            package var operatorClass: String?
        }
    }

    /// The tables of other programs, where no store is among them; empty where one is.
    package var tablesWithoutStore: [String] {
        let names = tables.map(\.name)
        return names.contains(StoreSchema.metadataTable) ? [] : names
    }

    /// Makes a value of what the catalog's statement returned.
    package init(json: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(json.utf8))
    }
}
