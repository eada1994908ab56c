import Foundation
import HowdahModel
import HowdahSchema
import PQClient

/// The removal of a store from its schema.
struct StoreDestruction {
    let connection: Connection
    let schemaName: String
    /// The identity that the store must have; nil for any.
    var expected: UUID?

    /// Removes the store, in a transaction with exclusive access.
    ///
    /// - Throws: `StoreError` with `notAStore`, `missingGrant`, `hasDependents`; `PostgresError`.
    func run() throws -> DestroyedStore {
        guard let record = try StoreRecord(in: schemaName, on: connection, for: .writing) else {
            throw StoreSession.noStore(in: schemaName)
        }
        try Self.check(record, is: expected, in: schemaName)
        let belongings = try StoreBelongings(of: record, in: schemaName, on: connection)
        try belongings.drop(on: connection)
        return DestroyedStore(
            identifier: record.identifier, tables: belongings.tables, hasDroppedSchema: try dropSchema())
    }

    /// - Throws: `StoreError` with `inUse` if the store is another one than was confirmed.
    static func check(_ record: StoreRecord?, is expected: UUID?, in schemaName: String) throws(StoreError) {
        guard let expected, record?.identifier != expected else { return }
        throw StoreError(
            .inUse,
            "The store in schema '\(schemaName)' is not the store that you confirmed: another program replaced it. "
                + "Nothing was changed. Read the metadata of the present store, and confirm that store.")
    }

    /// Drops the schema if it is empty and the role could create it again.
    private func dropSchema() throws -> Bool {
        guard schemaName != "public" else { return false }
        var parameters = Parameters()
        try parameters.append(schemaName)
        let mayDrop =
            try connection.query(
                "SELECT pg_catalog.pg_has_role(n.nspowner, 'USAGE') AND "
                    + "pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE') "
                    + "FROM pg_catalog.pg_namespace n WHERE n.nspname = $1", parameters, cached: false
            ).map { $0[0].isTrue }.first ?? false
        guard mayDrop else { return false }
        let point = "howdah_schema"
        try connection.savepoint(point)
        do {
            _ = try connection.query("DROP SCHEMA \(SQLIdentifier.quoted(schemaName))", cached: false)
        } catch let error as PostgresError where error.sqlState == "2BP01" {
            try connection.rollback(toSavepoint: point)
            return false
        }
        try connection.release(savepoint: point)
        return true
    }
}
