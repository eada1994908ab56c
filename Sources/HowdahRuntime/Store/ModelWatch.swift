import HowdahModel
import HowdahSchema
import PQClient

/// The model of the store when it was opened. With it a program detects that the store was migrated since.
package struct ModelWatch: Sendable {
    let model: ManagedObjectModel
    let schemaName: String
    /// The checksum of the store's model.
    let checksum: String
    /// Indicates whether the container only reads.
    var isReading = false

    /// The maximum time of the query, because a migration may have the record locked.
    static let patience = Duration.seconds(1)

    /// Returns true if an error may come from a migrated store.
    ///
    /// The server then names an object that the program's model does not have, or misses one that it has.
    func concerns(_ error: any Error, in layouts: StoreLayout) -> Bool {
        error.mayBeOfAnotherModel(layouts.schema)
    }

    /// Returns the reason of `error` if the store was migrated to an incompatible model; nil if it has
    /// another cause.
    ///
    /// It queries the store only if ``concerns(_:in:)`` is true.
    func refusal(of error: any Error, in layouts: StoreLayout, _ connection: Connection) -> StoreError? {
        guard let record = try? StoreRecord(in: schemaName, on: connection, for: .none) else { return nil }
        return refusal(of: record, databaseError: error.serverError)
    }

    /// Returns the reason why the program cannot use the store's present model; nil if it can.
    func refusal(of record: StoreRecord, databaseError: PostgresError? = nil) -> StoreError? {
        if let refusal = record.format.refusal(in: schemaName, reading: isReading) {
            return StoreError(
                .incompatibleModel, "A newer version of Howdah has changed the store. \(refusal)",
                databaseError: databaseError)
        }
        guard record.checksum != checksum, let stored = try? ManagedObjectModel(canonicalJSON: record.model)
        else { return nil }
        let obstacles = StoreCompatibility(of: model, with: stored, schemaName: schemaName).obstacles
        if obstacles.isEmpty { return nil }
        return StoreError(
            .incompatibleModel,
            "The store in schema '\(schemaName)' was migrated after this program opened it. The store's new "
                + "model \(record.checksum) is not compatible with the program's model: "
                + "\(Self.list(obstacles)). Deploy a version of the program that has the store's model, and "
                + "start it.",
            databaseError: databaseError)
    }

    /// Returns the first obstacles, as part of a sentence.
    static func list(_ obstacles: [String], atMost count: Int = 10) -> String {
        let more = obstacles.count - count
        return obstacles.prefix(count).joined(separator: "; ") + (more > 0 ? "; and \(more) more" : "")
    }
}

extension Error {
    /// The error of the server or the connection.
    var serverError: PostgresError? {
        (self as? FetchError)?.databaseError ?? (self as? SaveError)?.databaseError
            ?? (self as? HistoryError)?.databaseError ?? self as? PostgresError
    }

    fileprivate func mayBeOfAnotherModel(_ schema: StoreSchema) -> Bool {
        if (self as? FetchError)?.code == .schemaMismatch || (self as? SaveError)?.code == .schemaMismatch {
            return true
        }
        guard let error = serverError, let state = error.sqlState else { return false }
        switch state {
        case SQLState.undefinedTable, SQLState.undefinedColumn, "0A000", "42804", "42P10": return true
        case SQLState.notNullViolation, SQLState.checkViolation, SQLState.uniqueViolation,
            SQLState.foreignKeyViolation:
            guard let table = error.table.flatMap(schema.table(named:)) else { return true }
            if let name = error.constraint { return !table.has(constraint: name) }
            return error.column.map { table.column($0)?.isNullable ?? true } ?? false
        default: return false
        }
    }
}

extension StoreSchema.Table {
    fileprivate func has(constraint name: String) -> Bool {
        primaryKeyName == name || foreignKeys.contains { $0.name == name }
            || checks.contains { $0.name == name } || uniques.contains { $0.name == name }
            || triggers.contains { $0.name == name }
    }
}
