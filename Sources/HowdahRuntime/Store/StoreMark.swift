package import Foundation
import HowdahModel
import HowdahSchema
import PQClient

/// The mark by which each session of a container shows that the store is open: a shared advisory lock.
///
/// To destroy or replace the store, a session takes the lock exclusively. Then no other session uses it. A
/// session takes the lock once, before its first unit of work, and checks that the store is still the one
/// that was opened. After that the store cannot be exchanged until the session ends. Behind a pooler,
/// sessions hold no lock; each save checks instead.
package struct StoreMark: Sendable {
    package let schemaName: String
    package let identifier: UUID

    /// Returns the text whose hash is the number of the lock.
    package static func key(of schemaName: String) -> String { "howdah-open:\(schemaName)" }

    /// Returns the same for the lock that prevents sessions from taking the other one.
    package static func gateKey(of schemaName: String) -> String { "howdah-gate:\(schemaName)" }

    /// The first words of ``check(_:)``.
    static let checkBeginning = "SELECT 1 / pg_catalog.count(*)"

    private static let pause = Duration.milliseconds(50)
    private static let divisionByZero = "22012"

    private var table: String { SQLIdentifier.quoted(schemaName, StoreSchema.metadataTable) }

    /// Marks a session, if that was not done yet; one round trip.
    ///
    /// - Throws: `StoreError` with `destroyed`; with `inUse` if another program destroys or replaces the
    ///   store for longer than `patience`; `PostgresError`.
    func put(on connection: Connection, within patience: Duration) throws {
        guard connection.markedStore != identifier, !connection.isPooled else { return }
        let found = try Self.share(schemaName, on: connection, within: patience) { try look(connection) }
        guard found == identifier else {
            // Open, it would keep others from exchanging a store that this container does not use.
            connection.close()
            throw Self.destroyed(schemaName)
        }
        connection.markedStore = identifier
    }

    /// Prevents other sessions from destroying or replacing the store in a schema while a session opens it.
    ///
    /// The session has the lock until it ends. Behind a pooler it only checks that no session has it now.
    ///
    /// - Throws: `StoreError` with `inUse` if another program has it for longer than `patience`;
    ///   `PostgresError`.
    static func reserve(_ schemaName: String, on connection: Connection, within patience: Duration) throws {
        let kind = connection.isPooled ? "xact_lock" : "lock"
        try share(schemaName, on: connection, within: patience) {
            try connection.query(
                "SELECT \(attempt(kind))", keys(schemaName), cached: false
            ).map { ($0[0].isTrue, ()) }.first ?? (false, ())
        }
    }

    /// Tries until it has the lock; the statements are not logged.
    private static func share<T>(
        _ schemaName: String, on connection: Connection, within patience: Duration,
        _ attempt: () throws -> (isLocked: Bool, T)
    ) throws -> T {
        let (observer, roundTripObserver) = (connection.observer, connection.roundTripObserver)
        (connection.observer, connection.roundTripObserver) = (nil, nil)
        defer { (connection.observer, connection.roundTripObserver) = (observer, roundTripObserver) }
        let end = ContinuousClock.now + patience
        while true {
            let (isLocked, found) = try attempt()
            if isLocked { return found }
            guard .now < end else {
                throw StoreError(
                    .inUse,
                    "Another program destroys or replaces the store in schema '\(schemaName)'. Nothing was "
                        + "read or saved. Retry when that program has finished."
                )
            }
            connection.canceller.pause(for: pause)
        }
    }

    private static func keys(_ schemaName: String) throws -> Parameters {
        var parameters = Parameters()
        try parameters.append(key(of: schemaName))
        try parameters.append(gateKey(of: schemaName))
        return parameters
    }

    /// Returns the statement that takes the lock if no session has it exclusively or waits for it at the
    /// gate.
    private static func attempt(_ kind: String) -> String {
        "CASE WHEN pg_catalog.pg_try_advisory_xact_lock_shared(pg_catalog.hashtextextended($2, 0)) "
            + "THEN pg_catalog.pg_try_advisory_\(kind)_shared(pg_catalog.hashtextextended($1, 0)) ELSE FALSE END"
    }

    /// Returns the lock and the store's identity, in one statement. It waits at the table until a destruction
    /// has ended.
    private func look(_ connection: Connection) throws -> (isLocked: Bool, found: UUID?) {
        do {
            return try connection.query(
                "SELECT \(Self.attempt("lock")), (SELECT \"store_uuid\" FROM \(table))",
                Self.keys(schemaName),
                cached: false
            ).map { ($0[0].isTrue, $0[1].isNull ? nil : $0[1].uuid) }.first ?? (false, nil)
        } catch let error as PostgresError
            where error.sqlState == SQLState.undefinedTable || error.sqlState == SQLState.invalidSchemaName
        {
            throw Self.destroyed(schemaName, error)
        }
    }

    /// Returns the statement that fails in a transaction if the store is another one; for sessions behind
    /// poolers.
    ///
    /// Reading the record also prevents an exchange of the store until the transaction ends.
    func check(_ parameters: inout Parameters) -> String {
        parameters.append(.uuid) { $0.uuid(identifier) }
        return
            "\(Self.checkBeginning) FROM \(table) WHERE \"store_uuid\" OPERATOR(pg_catalog.=) $\(parameters.count)"
    }

    /// Returns a Boolean value that indicates whether an error may come from the end of the store.
    func concerns(_ error: any Error) -> Bool {
        let refused = (error as? StoreError).flatMap { $0.code == .database ? $0.databaseError : nil }
        return switch (error.serverError ?? refused)?.sqlState {
        case SQLState.undefinedTable, SQLState.invalidSchemaName, SQLState.undefinedFunction,
            SQLState.adminShutdown, Self.divisionByZero:
            true
        default: false
        }
    }

    /// Returns the error to throw instead of `error` if the store no longer exists. Otherwise the result is
    /// nil.
    func refusal(of error: any Error, _ connection: Connection) -> StoreError? {
        do {
            let record = try StoreRecord(in: schemaName, on: connection, for: .none)
            return record?.identifier == identifier ? nil : Self.destroyed(schemaName, error.serverError)
        } catch {
            return nil
        }
    }

    private static func destroyed(_ schemaName: String, _ error: PostgresError? = nil) -> StoreError {
        StoreError(
            .destroyed,
            "The store in schema '\(schemaName)' was destroyed or replaced after this program opened it. Nothing was "
                + "saved. Close the container, and open the store again.", databaseError: error)
    }
}
