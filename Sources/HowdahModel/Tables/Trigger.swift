extension StoreSchema {
    /// A trigger that keeps a delete rule which no foreign key can, see ``RelationshipDescription/hasDeleteTrigger``, or the
    /// versions of rows, see ``MappingKey/versionTrigger``.
    package struct Trigger: Hashable, Sendable {
        /// The name of the trigger and of its function.
        package var name: String
        /// The relationship whose rule it keeps, or the entity whose versions.
        package var origin: Origin
        /// The action of the trigger when rows of its table are deleted or updated.
        package var duty: Duty

        /// The setting that is `on` in the transaction of a save if triggers have nothing to do in it.
        package static let setting = "howdah.save"

        /// An action when rows are deleted or updated.
        package enum Duty: Hashable, Sendable {
            /// Rows that `column` led to are deleted too.
            case follow(column: String, to: Place)
            /// The deletion is refused while there is a row that `column` led to.
            case refuse(column: String, to: Place)
            /// On a table of links: where a link went with the row at `column`, the row at the other end goes too.
            case followLinks(column: String, of: Place, other: String, to: Place)
            /// Links of the deleted rows are deleted.
            case unlink(key: String, from: Place)
            /// A row in which one of these columns changes gets another version, unless the statement has given it one.
            case raiseVersion(version: String, columns: [String])

            /// The table whose rows are deleted.
            package var deletedTable: String? {
                switch self {
                case .follow(_, let to), .followLinks(_, _, _, let to): to.table
                case .unlink(_, let links): links.table
                case .refuse, .raiseVersion: nil
                }
            }

            /// The columns that the trigger's own condition names. The server alters no type of theirs, and drops none, while
            /// the trigger is there.
            package var watchedColumns: [String] {
                switch self {
                case .raiseVersion(let version, let columns): [version] + columns
                case .refuse(let column, _): [column]
                case .follow, .followLinks, .unlink: []
                }
            }

            /// Indicates whether the trigger keeps a delete rule.
            package var isDeleteRule: Bool { if case .raiseVersion = self { false } else { true } }
        }

        /// A column of a table: a key, or the end of a link.
        package struct Place: Hashable, Sendable {
            package var table: String
            package var column: String
        }
    }
}
