internal import HowdahSchema
package import PQClient

/// The comparison of a store with the copy on which its migration is rehearsed.
package enum CopyComparison: Equatable, Sendable {
    /// The copy is in another database, and its store has the same model.
    case equalModels
    /// The copy is the store itself.
    case sameDatabase
    /// The models differ. A checksum is nil if the database has no store.
    case otherModel(store: String?, copy: String?)

    /// Reads both databases.
    ///
    /// - Throws: `PostgresError`; `StoreRecordError`.
    package init(of store: Connection, with copy: Connection, schemaName: String) throws {
        if try Self.identity(of: store) == Self.identity(of: copy) {
            self = .sameDatabase
            return
        }
        let checksums = try [store, copy].map {
            try StoreRecord(in: schemaName, on: $0, for: .none)?.checksum
        }
        self =
            checksums[0] == checksums[1]
            ? .equalModels : .otherModel(store: checksums[0], copy: checksums[1])
    }

    /// The database, and the start of its server as a number: as text, it depends on settings of the role.
    private static func identity(of connection: Connection) throws -> [String] {
        try connection.query(
            """
            SELECT d.oid::pg_catalog.text || ' ' || d.datname
                || ' ' || pg_catalog.date_part('epoch', pg_catalog.pg_postmaster_start_time())::pg_catalog.numeric
            FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()
            """, cached: false
        ).map { $0[0].string() }
    }
}
