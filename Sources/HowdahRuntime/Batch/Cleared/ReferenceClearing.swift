import Foundation
import HowdahModel
import PQClient

/// The statements that clear the references to locked rows, before these are deleted.
struct ReferenceClearing {
    private let places: [ClearedReferences.Place]
    private let returnsRows: Bool
    let statements: [SaveStatement]
    /// The locked rows; nil if no references are cleared.
    private var remnant: RemainingRows?

    /// - Parameters:
    ///   - candidates: The references that the deletion can clear.
    ///   - deleted: The keys of the deleted rows by table.
    ///   - table: The table of the rows that the request names.
    ///   - returnsRows: Indicates whether the statements return the rows that lose a destination.
    ///   - date: The time of the change.
    init(
        _ candidates: [ClearedReferences.Place], to deleted: [StoredTable: [Int64]], from table: StoredTable,
        returnsRows: Bool, at date: Date, in layouts: [EntityLayout]
    ) throws {
        self.returnsRows = returnsRows
        var places: [ClearedReferences.Place] = []
        var statements: [SaveStatement] = []
        for place in candidates {
            let aims = place.references.filter { deleted[$0.table]?.isEmpty == false }
            if aims.isEmpty { continue }
            let layout = place.layout
            places.append(place)
            var update = Update(place, returnsRows: returnsRows)
            update.find(aims, deleted)
            try update.setMoments(at: date, in: layouts)
            statements.append(
                SaveStatement(
                    update.sql(), update.parameters,
                    need: .init(layout.table, .update, "clears relationships of its rows"),
                    about: .init(.update, layout.table.subject)
                ))
        }
        (self.places, self.statements) = (places, statements)
        if !statements.isEmpty { remnant = RemainingRows(deleted, of: table) }
    }

    /// Checks that all rows were deleted to which references were cleared; one round trip.
    ///
    /// - Throws: `SaveError`, so that the transaction is rolled back.
    func checkDeletion(in transaction: SaveTransaction) throws { try remnant?.check(in: transaction) }

    /// Returns the rows that lost a destination, if the statements return them.
    func rows(_ results: some Collection<QueryResult>) -> [BatchOutcome.Rows] {
        if !returnsRows { return [] }
        return zip(places, results).map { BatchOutcome.Rows($1, of: $0.layout, hasIDs: true) }
            .filter { !$0.keys.isEmpty }
    }

    /// The statement for the rows of one table.
    private struct Update {
        private let place: ClearedReferences.Place
        private let returnsRows: Bool
        private(set) var parameters = Parameters()
        /// The queries that find and lock the rows, one for each reference.
        private var found: [String] = []
        private var settings: [String]
        private var rows = "found0"

        init(_ place: ClearedReferences.Place, returnsRows: Bool) {
            self.place = place
            self.returnsRows = returnsRows
            settings = ["\(place.version) = r.\(place.version) + 1"]
        }

        /// Finds the rows of references, and locks them in the order of their keys.
        mutating func find(
            _ references: [ClearedReferences.Reference], _ deleted: [StoredTable: [Int64]]
        ) {
            let (table, key) = (place.layout.table, place.layout.table.key("r"))
            // Rows that are deleted too are not written: triggers follow their columns.
            var others = ""
            if let keys = deleted[table], !keys.isEmpty {
                parameters.append(keys)
                others = " AND NOT EXISTS (SELECT FROM pg_catalog.unnest($1) x(k) WHERE x.k = \(key))"
            }
            for reference in references {
                parameters.append(deleted[reference.table] ?? [])
                found.append(
                    "SELECT \(key) AS k FROM \(table) r WHERE r.\(reference.columns[0]) = ANY($\(parameters.count))"
                        + "\(others) ORDER BY \(key) FOR NO KEY UPDATE OF r")
            }
            let isAlone = references.count == 1
            if !isAlone {
                let flags = references.indices.map { "pg_catalog.bool_or(f.c = \($0)) AS c\($0)" }
                let parts = references.indices.map { "SELECT k, \($0) AS c FROM found\($0)" }
                rows =
                    "(SELECT f.k, \(flags.joined(separator: ", ")) "
                    + "FROM (\(parts.joined(separator: " UNION ALL "))) f GROUP BY f.k)"
            }
            // Another program's foreign key may do something else.
            if table.existing != nil { return }
            for (index, reference) in references.enumerated() {
                settings += reference.columns.map { column in
                    isAlone
                        ? "\(column) = NULL"
                        : "\(column) = CASE WHEN w.c\(index) THEN NULL ELSE r.\(column) END"
                }
            }
        }

        /// Sets the time in the attributes that keep it, as a save does.
        mutating func setMoments(at date: Date, in layouts: [EntityLayout]) throws {
            for moment in place.layout.moments(at: date, in: layouts) {
                try parameters.append(moment.column.sent) {
                    try $0.write(moment.value, as: moment.column.type)
                }
                settings.append(
                    "\(moment.column.name) = \(moment.expression("$\(parameters.count)", alias: "r"))")
            }
        }

        func sql() -> String {
            let (table, key) = (place.layout.table, place.layout.table.key("r"))
            let parts = found.enumerated().map { "found\($0) AS MATERIALIZED (\($1))" }
            let entity = place.layout.discriminator.map { ", r.\($0)" } ?? ""
            return "WITH \(parts.joined(separator: ", ")) UPDATE \(table) r "
                + "SET \(settings.joined(separator: ", ")) FROM \(rows) w WHERE \(key) = w.k"
                + (returnsRows ? " RETURNING \(key)\(entity)" : "")
        }
    }
}
