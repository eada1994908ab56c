internal import Foundation

/// What a PostgreSQL schema has in it: tables with their columns, constraints and indexes.
///
/// Read from the catalog in one statement, as JSON that PostgreSQL puts together, so that it can be kept and looked
/// at without a server.
package struct DatabaseSchema: Hashable, Sendable, Codable {
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
    }

    /// An index that no constraint has made.
    package struct Index: Hashable, Sendable, Codable {
        package var name: String
        package var method: String
        package var isUnique: Bool
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
        }
    }

    /// Makes a value of what the catalog's statement returned.
    package init(json: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(json.utf8))
    }
}
