package import HowdahModel
import HowdahSchema
import PQClient

extension PersistentContainer {
    /// Gives a store that no program has opened yet a history that counts from now.
    ///
    /// Copies of a database with a history would refuse to open, as its history is of another database.
    ///
    /// - Throws: `StoreError`.
    package static func startHistory(
        at url: String, model: ManagedObjectModel, options: StoreOptions
    ) async throws {
        let session = try StoreSession(url, options: options)
        try await session.run { connection in
            let schema = try StoreSchema(model, schemaName: session.schemaName)
            try session.begin(connection)
            try HistoryInstallation(of: schema, on: connection).make(isStarted: true)
            try connection.commit()
        }
    }
}
