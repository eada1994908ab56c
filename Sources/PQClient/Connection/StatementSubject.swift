/// The operation and the table of a statement, stated by the code that renders it; its text is never parsed.
package struct StatementSubject: Sendable {
    package enum Operation: UInt8, Sendable {
        case select, insert, update, delete, copy
        /// BEGIN, savepoints and settings of a transaction.
        case transaction
        case commit, rollback
        /// A cursor's beginning and end; its rows come with ``select``.
        case declare, close
        /// The plan of a statement.
        case explain
        /// Statements that open a store, and make its tables if there are none.
        case open
        /// Statements of a migration.
        case migrate

        /// The name by OpenTelemetry's conventions.
        package var name: String {
            switch self {
            case .select: "SELECT"
            case .insert: "INSERT"
            case .update: "UPDATE"
            case .delete: "DELETE"
            case .copy: "COPY"
            case .transaction: "TRANSACTION"
            case .commit: "COMMIT"
            case .rollback: "ROLLBACK"
            case .declare: "DECLARE"
            case .close: "CLOSE"
            case .explain: "EXPLAIN"
            case .open: "OPEN"
            case .migrate: "MIGRATE"
            }
        }
    }

    package let operation: Operation
    /// The table; nil if there is none, or several.
    package let table: StatementTable?
    /// A Boolean value that indicates whether the result is the number of rows that the statement wrote.
    package let returnsCount: Bool
    /// The key of a round trip with this statement alone. Reading it counts no reference.
    let roundTripKey: RoundTripKey
    /// The comment after the text, which names the call site; empty if there is none.
    private let comment: String

    /// - Parameters:
    ///   - table: The table; nil if there is none, or several.
    ///   - returnsCount: Indicates whether the result is the number of rows that the statement wrote.
    ///   - comment: The comment after the statement's text.
    package init(
        _ operation: Operation, _ table: StatementTable? = nil, returnsCount: Bool = false,
        comment: String = ""
    ) {
        self.operation = operation
        self.table = table
        self.returnsCount = returnsCount
        self.comment = comment
        roundTripKey = RoundTripKey(ofOne: operation, table)
    }

    /// - Parameter table: The quoted and schema-qualified name of a table that the store keeps no object for.
    package init(_ operation: Operation, _ table: String) {
        self.init(operation, StatementTable(table, isKept: false))
    }

    /// Returns the subject of the same statement with a comment after its text.
    package func tagged(_ comment: String) -> StatementSubject {
        StatementSubject(operation, table, returnsCount: returnsCount, comment: comment)
    }

    /// Returns the subject of another statement on the same table from the same call site.
    package func with(_ operation: Operation) -> StatementSubject {
        StatementSubject(operation, table, comment: comment)
    }

    /// A Boolean value that indicates whether the statement only begins, ends or sets up a transaction or a cursor.
    package var isControl: Bool {
        switch operation {
        case .transaction, .commit, .rollback, .declare, .close: true
        default: false
        }
    }

    /// The name of the table, without schema and quotes.
    package var collection: String? { table?.name }

    /// The label and the line that the request was tagged with; nil if it was not.
    package var tag: String? {
        let words = comment.split(separator: " ").dropFirst().dropLast()
        return words.isEmpty ? nil : words.joined(separator: " ")
    }
}

/// The table of a statement, for observers.
///
/// It is a class, so that observers find what they keep for a table by its identity, without reading its name.
package final class StatementTable: Sendable {
    /// The quoted and schema-qualified name.
    package let quoted: String
    /// A Boolean value that indicates whether the store keeps the object, and does not make it for one statement.
    package let isKept: Bool

    /// - Parameter quoted: The quoted and schema-qualified name.
    package init(_ quoted: String, isKept: Bool = true) {
        self.quoted = quoted
        self.isKept = isKept
    }

    /// The name of the table, without schema and quotes.
    package var name: String { SQLIdentifier.lastName(quoted) }
}

extension StatementTable: Hashable, CustomStringConvertible {
    package var description: String { quoted }

    package static func == (a: StatementTable, b: StatementTable) -> Bool { a === b || a.quoted == b.quoted }

    package func hash(into hasher: inout Hasher) { hasher.combine(quoted) }
}
