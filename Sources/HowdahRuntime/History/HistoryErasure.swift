import Foundation
import HowdahModel
import HowdahSchema
import PQClient

/// Deletes history by the functions of the store's owner.
struct HistoryErasure {
    /// The end of the history to delete.
    enum Limit: Sendable {
        case token(HistoryToken)
        case transaction(HistoryTransaction)
        case date(Date)
    }

    private let tables: HistoryTables
    private let store: Store

    init(_ store: Store) {
        self.store = store
        tables = HistoryTables(in: store.layouts.schema.schemaName)
    }

    /// Returns the snapshot of the changes to delete.
    func snapshot(_ limit: Limit, on connection: Connection) throws -> StoreSnapshot {
        try HistoryError.explaining {
            switch limit {
            case .token(let token):
                let state = try check(token, on: connection)
                // Numbers of another era may have been given out again.
                guard let page = token.page, state.era == token.era else {
                    return try reader.rewound(token, to: state, on: connection)
                }
                let next = page.part == .max ? page.number + 1 : page.number
                return try before(number: next, state, on: connection)
            case .transaction(let transaction):
                let state = try check(transaction.token, on: connection)
                guard state.era == transaction.token.era else {
                    return try reader.rewound(transaction.token, to: state, on: connection)
                }
                return try before(number: transaction.transactionNumber, state, on: connection)
            case .date(let date):
                var parameters = Parameters()
                try parameters.append(.timestamptz) { try $0.date(date) }
                let state = try reader.state(on: connection)
                return try before(first: "\"stored_at\" >= $1", parameters, state, on: connection)
            }
        }
    }

    private var reader: HistoryReader {
        get throws { HistoryReader(store, try HistoryConditions(nil, in: store)) }
    }

    private func check(_ token: HistoryToken, on connection: Connection) throws -> HistoryState {
        guard token.store == HistoryToken.mark(of: store.identifier) else { throw HistoryError.foreign }
        let state = try reader.state(on: connection)
        guard state.incarnation == token.incarnation,
            // A snapshot of the future is of a server whose log was lost.
            state.era != token.era || token.snapshot.xmax <= state.edge.snapshot.xmax
        else { throw HistoryError.expired }
        return state
    }

    private func before(
        number: Int64, _ state: HistoryState, on connection: Connection
    ) throws -> StoreSnapshot {
        var parameters = Parameters()
        parameters.append(number)
        return try before(first: "\"number\" >= $1", parameters, state, on: connection)
    }

    /// Returns the snapshot of the committed transactions that are older than every row that matches.
    private func before(
        first condition: String, _ parameters: Parameters, _ state: HistoryState, on connection: Connection
    ) throws -> StoreSnapshot {
        // Older servers have no `min` for the type.
        let first = try connection.query(
            "\(HistoryStatements.mark)SELECT \"txid\"::pg_catalog.text FROM \(tables.history) WHERE \(condition) ORDER BY \"txid\" LIMIT 1",
            parameters, about: StatementSubject(.select)
        ).map { UInt64($0[0].string()) }.first
        guard let first, let limit = first, let snapshot = StoreSnapshot(xmax: limit) else {
            return state.edge.snapshot
        }
        return state.edge.snapshot.intersection(snapshot)
    }

    /// Deletes the changes that a snapshot sees, and truncates slots without others.
    ///
    /// - Returns: The number of rows that were deleted one by one: if it is not 0, there may be more.
    func delete(_ seen: StoreSnapshot, _ physically: Bool, on connection: Connection) throws -> Int64 {
        if store.settings.isReadOnly { throw HistoryError.readOnly }
        return try HistoryError.explaining {
            var parameters = Parameters()
            try parameters.append(seen.description)
            parameters.append(physically)
            let result = try connection.query(
                "\(HistoryStatements.mark)SELECT d.held_by, d.removed FROM \(tables.name(of: .delete))"
                    + "($1::pg_catalog.pg_snapshot, $2) AS d", parameters, about: StatementSubject(.select))
            let removed = try result.first { row in
                if !row[0].isNull { throw HistoryError.held(by: row[0].string()) }
                return row[1].int64
            }
            guard let removed else { return 0 }
            if removed == 0 { try HistoryKeeping(store).purge(on: connection) }
            return removed
        }
    }

    /// Erases the preserved values of deleted objects of one entity; returns the number of rows of the
    /// history.
    func erase(_ keys: [Int64], of entity: String, on connection: Connection) throws -> Int {
        if store.settings.isReadOnly { throw HistoryError.readOnly }
        return try HistoryError.explaining {
            var parameters = Parameters()
            // SQL may have changed the class of an object, whose key is of one object in its hierarchy.
            let names = store.layouts.hierarchy(ofStoredName: entity)
            try parameters.appendArray(of: .text, count: names.count) { writer in
                for name in names { try writer.string(name) }
            }
            parameters.append(keys)
            let statement = "\(HistoryStatements.mark)SELECT \(tables.name(of: .erase))($1, $2)"
            return Int(
                try connection.query(statement, parameters, about: StatementSubject(.select)).first {
                    $0[0].int64
                } ?? 0)
        }
    }
}
