extension StoreSchema {
    /// A trigger that keeps a delete rule which no foreign key can; see ``RelationshipDescription/hasDeleteTrigger``.
    public struct DeleteTrigger: Hashable, Sendable {
        /// The name of the trigger and of its function.
        public var name: String
        /// The relationship whose rule it keeps.
        public var origin: Origin
        /// What it does when rows of its table are deleted.
        package var duty: Duty

        /// The setting that is `on` in the transaction of a save, where the triggers have nothing to do.
        package static let setting = "howdah.save"

        /// What is done when rows are deleted.
        package enum Duty: Hashable, Sendable {
            /// Rows that `column` led to are deleted too.
            case follow(column: String, to: Place)
            /// The deletion is refused while there is a row that `column` led to.
            case refuse(column: String, to: Place)
            /// On a table of links: where a link went with the row at `column`, the row at the other end goes too.
            case followLinks(column: String, of: Place, other: String, to: Place)
            /// Links of the deleted rows are deleted.
            case unlink(key: String, from: Place)

            /// The table whose rows are deleted.
            package var deletedTable: String? {
                switch self {
                case .follow(_, let to), .followLinks(_, _, _, let to): to.table
                case .unlink(_, let links): links.table
                case .refuse: nil
                }
            }
        }

        /// A column of a table: a key, or the end of a link.
        package struct Place: Hashable, Sendable {
            package var table: String
            package var column: String
        }
    }
}
