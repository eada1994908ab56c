import Foundation
import HowdahModel
import HowdahSchema
import PQClient

extension StoreOpening {
    /// Returns the store over tables of another program, and creates the store's record if there is none.
    ///
    /// It compares the tables with the model; only they count. The record only keeps the store's identity,
    /// and the last model that it was opened with.
    ///
    /// - Returns: Also the identity of the record; nil over tables without one that are opened only for reading.
    /// - Throws: `StoreError.schemaMismatch` with all differences.
    func storeOverExistingTables(
        _ connection: Connection
    ) throws -> (recorded: UUID?, rows: [String: Int], StoreSchema) {
        var (record, rows) = try storeRecord(connection)
        if let record { try checkFormat(record) }
        let tables = ExistingTables(
            schema, in: try DatabaseSchema(named: schema.schemaName, on: connection))
        guard tables.differences.isEmpty else {
            throw StoreError(
                .schemaMismatch,
                "The tables in schema '\(schema.schemaName)' differ from the model. Correct the model or the "
                    + "tables:\n  "
                    + tables.differences.joined(separator: "\n  "))
        }
        let isNew = record == nil
        if isNew, options.isReadOnly {
            if options.requiresRecord { throw StoreError.nothingToRead(in: schema.schemaName) }
            return (nil, rows, tables.schema)
        }
        if !options.isReadOnly, !(record.map { model.hasChecksum($0.checksum) } ?? false) {
            do {
                record = try keepRecord(connection)
            } catch {
                // The error that led here is the one to report.
                try? connection.rollback()
                throw explained(error)
            }
        }
        guard let record else {
            throw StoreError(
                .notAStore, "The store's record was deleted while the store was opened. Open the store again."
            )
        }
        if !isNew { try checkTokens(rows) }
        return (record.identifier, rows, tables.schema)
    }

    /// Creates the record, or updates the model of an existing one.
    private func keepRecord(_ connection: Connection) throws -> StoreRecord {
        try connection.begin()
        try lock(connection)
        let record: StoreRecord
        if let found = try storeRecord(connection).0 {
            try checkFormat(found)
            var parameters = Parameters()
            try parameters.append(model.canonicalJSON)
            try parameters.append(model.versionChecksum)
            _ = try connection.query(StoreMetadata.replacement(for: schema), parameters, cached: false)
            record = found
        } else {
            record = StoreRecord(
                identifier: UUID(), format: StoreFormat(recorded: StoreMetadata.formatOverExistingTables),
                checksum: model.versionChecksum, model: model.canonicalJSON, createdAt: Date())
            try connection.executeScript(StoreMetadata.creation(of: schema))
            if options.resolvesLostCommits {
                try connection.executeScript(SaveTokenTable.creation(of: schema))
            }
            _ = try connection.query(
                StoreMetadata.insertion(for: schema),
                self.record(record.identifier, StoreMetadata.formatOverExistingTables))
        }
        try connection.commit()
        return record
    }

    private func checkFormat(_ record: StoreRecord) throws {
        if record.format.isOverExistingTables {
            if let refusal = record.format.refusal(in: schema.schemaName, reading: options.isReadOnly) {
                throw StoreError(.incompatibleModel, refusal)
            }
            return
        }
        throw StoreError(
            .notAStore,
            "StoreOptions.existingTables is set, but Howdah created the tables of the store in schema "
                + "'\(schema.schemaName)'. Open the store without StoreOptions.existingTables."
        )
    }
}
