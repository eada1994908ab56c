import HowdahModel
import PQClient

/// The rows that a save writes, table by table in the order of writing; a printable value without objects.
///
/// The order makes replacing by unique key, swaps, and reparent-then-delete work in one save. Values that are
/// about to be taken over are parked, rows move away from deleted ones, rows are deleted, then the rest is
/// written. Foreign keys are deferred meanwhile, so tables need no order among themselves.
struct SavePlan: Sendable {
    /// Parked unique values: another row takes them over in this save.
    var parkings: [RowUpdate] = []
    var movesAway: [RowUpdate] = []
    var nullifications: [RowNullification] = []
    var linkDeletes: [LinkRows] = []
    var purges: [LinkPurge] = []
    var deletes: [RowDelete] = []
    var updates: [RowUpdate] = []
    /// Versions of owners that are not loaded and whose to-manys change.
    var bumps: [RowBump] = []
    /// Places in ordered lists, of members that are not written otherwise.
    ///
    /// They follow the owners' versions, so that two saves of one list meet there.
    var orders: [OrderRows] = []
    var inserts: [RowInsert] = []
    var linkInserts: [LinkRows] = []
    /// A Boolean value that indicates whether versions were compared under lock before, so that no row can be
    /// missing.
    var isLocked = false

    /// A Boolean value that indicates whether some rows keep their versions, which version triggers must not
    /// move.
    var keepsVersions: Bool {
        !parkings.isEmpty || !movesAway.isEmpty || nullifications.contains { !$0.movesVersions }
    }

    struct Row: Sendable {
        let key: Int64
        let version: Int64
        let values: [Value]
    }

    struct RowUpdate: Sendable {
        let table: StoredTable
        let entity: String
        let columns: [LayoutColumn]
        /// Ascending by key.
        var rows: [Row]
        /// A Boolean value that indicates whether the version moves; parking is not a change of the row.
        var bumpsVersion = true
        var readBack: ReadBack?
        /// The statement for one row whose version moves; nil if it is not known.
        var textForRow: String?
    }

    struct RowBump: Sendable {
        let table: StoredTable
        /// The keys, ascending.
        let keys: [Int64]
    }

    struct OrderRows: Sendable {
        let table: StatementTable
        /// The columns that identify a row: the member; in a join table the owner and the member.
        let keyColumns: [String]
        let orderColumn: String
        /// Ascending by keys.
        var rows: [Row]

        struct Row: Sendable {
            let keys: [Int64]
            let number: Int64
        }
    }

    struct RowInsert: Sendable {
        let table: StoredTable
        let entity: String
        let columns: [LayoutColumn]
        var rows: [Row]
        var readBack: ReadBack?
        /// The text after ON CONFLICT for rows that may exist already; nil if they are inserted in any case.
        var arbiter: String?
        /// A Boolean value that indicates whether rows may be left out, by ON CONFLICT or by a trigger.
        var isGuarded = false
    }

    struct RowDelete: Sendable {
        let table: StoredTable
        /// The keys, ascending.
        var keys: [Int64]
        /// The versions that were read, nil for unread rows; none if they were compared under lock before.
        var versions: [Int64?]?
    }

    struct RowNullification: Sendable {
        let table: StoredTable
        let columns: [String]
        var keys: [Int64]
        /// The additional values of the rows: the save's time.
        var moments: [(column: LayoutColumn, value: Value)] = []
        /// A Boolean value that indicates whether the rows' versions move.
        var movesVersions = true
    }

    /// All links of deleted rows, in tables from which no foreign key deletes them.
    struct LinkPurge: Sendable {
        let table: StatementTable
        let column: String
        var keys: [Int64]
    }

    struct LinkRows: Sendable {
        let columns: JoinColumns
        var pairs: [Pair]

        struct Pair: Sendable {
            let own: Int64
            let ownEntity: String
            let other: Int64
            let otherEntity: String
            /// The places in the lists of the two ends, if these are ordered.
            var ownOrder: Int64?
            var otherOrder: Int64?
        }
    }
}

extension SavePlan: CustomStringConvertible {
    /// One line per operation, in order; without values.
    var description: String {
        var lines = parkings.map { "park \($0.rows.count) in \($0.table) (\(list($0.columns)))" }
        lines += movesAway.map { "move away \($0.rows.count) in \($0.table) (\(list($0.columns)))" }
        lines += nullifications.map {
            "nullify \($0.keys.count) in \($0.table) (\($0.columns.joined(separator: ", ")))"
        }
        lines += linkDeletes.map { "unlink \($0.pairs.count) in \($0.columns.table)" }
        lines += purges.map { "unlink all of \($0.keys.count) in \($0.table) (\($0.column))" }
        lines += deletes.map { "delete \($0.keys.count) from \($0.table)" }
        lines += bumps.map { "version of \($0.keys.count) in \($0.table)" }
        lines += updates.map {
            $0.columns.isEmpty
                ? "version of \($0.rows.count) in \($0.table)"
                : "update \($0.rows.count) in \($0.table) (\(list($0.columns)))"
        }
        lines += orders.map { "order \($0.rows.count) in \($0.table) (\($0.orderColumn))" }
        lines += inserts.map { "insert \($0.rows.count) into \($0.table) (\(list($0.columns)))" }
        lines += linkInserts.map { "link \($0.pairs.count) in \($0.columns.table)" }
        return lines.joined(separator: "\n")
    }

    private func list(_ columns: [LayoutColumn]) -> String { columns.map(\.name).joined(separator: ", ") }
}
