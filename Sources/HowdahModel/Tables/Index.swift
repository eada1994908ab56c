extension StoreSchema {
    /// An index that only makes access faster.
    package struct Index: Hashable, Sendable {
        /// The index's name.
        package var name: String
        /// What is indexed, in order.
        package var elements: [IndexElement]
        /// How the index is built.
        package var method: FetchIndexDescription.Method
        /// The rows that are in it; nil for all.
        package var filter: Condition?
        /// Where it comes from.
        package var origin: Origin

        /// The columns it holds in full or in part, in order; expressions have none.
        package var columns: [String] { elements.compactMap(\.column) }

        /// The expressions in it, in order.
        package var expressions: [String] {
            elements.compactMap { if case .expression(let sql) = $0.subject { sql } else { nil } }
        }
    }

    /// One member of an index.
    package struct IndexElement: Hashable, Sendable {
        /// What is indexed.
        package enum Subject: Hashable, Sendable {
            /// The value of a column.
            case column(String)
            /// The text of a column without case, as ``StoreSchema/caseFolding`` makes it.
            case folded(String)
            /// The text of a column as comparisons with some options see it, or so many characters from its start.
            case folding(String, PredicateTree.Options, length: Int?)
            /// So many characters from the start of a text, folded or not, or bytes of a `bytea`.
            case prefix(String, length: Int, type: ColumnType, isFolded: Bool = false)
            /// The MD5 of a text, folded or not, or the SHA-256 of a `bytea`.
            case digest(String, type: ColumnType, isFolded: Bool = false)
            /// The text of a column in the order of a locale.
            case localized(String, locale: String)
            /// An SQL expression as it is in the model.
            case expression(String)
        }

        /// What is indexed.
        package var subject: Subject
        /// Whether small values come first, NULL before all of them, or the reverse; nil for the server's default,
        /// with NULL after all others.
        package var isAscending: Bool?

        init(_ subject: Subject, ascending isAscending: Bool? = nil) {
            self.subject = subject
            self.isAscending = isAscending
        }

        /// The column; nil for an expression.
        package var column: String? {
            switch subject {
            case .column(let name), .folded(let name), .prefix(let name, _, _, _),
                .digest(let name, _, _),
                .folding(let name, _, _), .localized(let name, _):
                name
            case .expression: nil
            }
        }
    }
}
