internal import Foundation
internal import HowdahModel
package import HowdahSchema
internal import PQClient

extension HistoryAdministration {
    /// The number of keys that an entry of ``list(limit:of:)`` names.
    private static let namedKeys = 10

    /// Returns the state of the history.
    ///
    /// - Throws: `MigrationError` with `noHistory`, `incompleteHistory`, `notAStore`, `missingGrant` or `database`.
    package func status() throws -> HistoryMeasures {
        try Self.asProgram {
            _ = try record(checked: false)
            return try HistoryMeasures(in: schemaName, on: connection)
        }
    }

    /// Returns the text by which a person confirms that the history is to be removed: its id, or that of the store if tables of
    /// the history are missing.
    ///
    /// - Throws: `MigrationError` with `noHistory`, `notAStore`, `missingGrant` or `database`.
    package func confirmation() throws -> String {
        do {
            return try status().incarnation
        } catch let error as MigrationError where error.code == .incompleteHistory {
            return try Self.asProgram {
                guard let record = try StoreRecord(in: schemaName, on: connection, for: .reading) else {
                    throw error
                }
                return record.identifier.uuidString.lowercased()
            }
        }
    }

    /// Returns the newest rows of the history, newest first.
    ///
    /// - Parameters:
    ///   - limit: The number of rows.
    ///   - entity: The stored name of an entity; nil for all.
    /// - Throws: `MigrationError` with `noHistory`, `notAStore`, `unknownEntity`, `missingGrant` or `database`.
    package func list(limit: Int, of entity: String? = nil) throws -> [HistoryEntry] {
        try Self.asProgram {
            _ = try record(checked: false)
            var parameters = Parameters()
            parameters.append(Int64(limit))
            if let entity { try parameters.append(entity) }
            let entries = try connection.query(
                """
                SELECT r."number", r."part", \(HistoryTables.text(of: "r.\"stored_at\"")), r."origin"::pg_catalog.int4, r."entity",
                    r."kind"::pg_catalog.int4, pg_catalog.array_to_string(r."properties", E'\\x1f'),
                    pg_catalog.cardinality(r."ids"), coalesce(pg_catalog.array_to_string(r."ids"[1:\(Self.namedKeys)], ','), ''),
                    r."author", r."context", r."process"
                FROM \(tables.history) AS r \(entity == nil ? "" : "WHERE r.\"entity\" = $2")
                ORDER BY r."number" DESC, r."part" DESC LIMIT $1
                """, parameters, cached: false
            ).map { row in
                func text(_ place: Int) -> String? { row[place].isNull ? nil : row[place].string() }
                return HistoryEntry(
                    number: row[0].int64, part: row[1].int32, storedAt: row[2].string(),
                    origin: Self.word(["save", "batch", "other", "migration"], row[3].int32),
                    entity: row[4].string(), kind: Self.word(["insert", "update", "delete"], row[5].int32),
                    properties: text(6).map { $0.split(separator: "\u{1F}").map(String.init) },
                    count: Int(row[7].int32),
                    ids: row[8].string().split(separator: ",").compactMap { Int64($0) },
                    author: text(9), context: text(10), process: text(11))
            }
            // A former model may have had the entity.
            if entries.isEmpty, let entity { try check(entity) }
            return entries
        }
    }

    /// - Throws: `MigrationError` with `unknownEntity` if the store's model has no entity with a stored name.
    private func check(_ storedName: String) throws {
        guard let record = try StoreRecord(in: schemaName, on: connection, for: .reading) else { return }
        let names = try record.migratableModel().entities.map(\.storedName)
        if names.contains(storedName) { return }
        throw MigrationError(
            .unknownEntity,
            "The history has no changes of an entity '\(storedName)', and the store's model has no entity with this stored "
                + "name. Name one of: \(names.sorted().joined(separator: ", ")).")
    }

    private static func word(_ words: [String], _ place: Int32) -> String {
        words.indices.contains(Int(place)) ? words[Int(place)] : "\(place)"
    }
}
