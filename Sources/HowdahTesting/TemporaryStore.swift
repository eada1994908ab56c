import Foundation
public import HowdahModel
public import HowdahRuntime

/// Runs `body` with a new open store in a real PostgreSQL, empty and private to the call.
///
/// The store is a copy of a template that is created once per model and process. So a test costs about a
/// tenth of a second. The statement log is recording. Afterwards the container is closed and the database
/// dropped.
///
/// - Throws: The error of the body; `LocalPostgresError` if PostgreSQL's server programs are missing.
nonisolated(nonsending)
    public func withTemporaryStore<T>(
        _ model: ManagedObjectModel, options: StoreOptions = StoreOptions(),
        _ body: (PersistentContainer) async throws -> T
    ) async throws -> T
{
    try await withTemporaryDatabase(for: model, options: options) { database in
        let container = try await PersistentContainer.open(database.url, model: model, options: options)
        container.statementLog.start()
        do {
            let result = try await body(container)
            await container.close(drainingFor: .seconds(5))
            return result
        } catch {
            await container.close(drainingFor: .seconds(5))
            throw error
        }
    }
}

/// Runs `body` with a database that has an empty store of `model`, which is not open.
///
/// Use it for tests that open it several times or from several processes.
nonisolated(nonsending)
    public func withTemporaryDatabase<T>(
        for model: ManagedObjectModel, options: StoreOptions = StoreOptions(),
        _ body: (TemporaryDatabase) async throws -> T
    ) async throws -> T
{
    let server = try await EphemeralPostgres.ready()
    if !StoreGate.isInside {
        try await server.gate.enter()
        do {
            let result = try await StoreGate.$isInside.withValue(true) {
                try await withTemporaryDatabase(for: model, options: options, body)
            }
            await server.gate.leave()
            return result
        } catch {
            await server.gate.leave()
            throw error
        }
    }
    let key = String(model.versionChecksum.filter { $0.isLetter || $0.isNumber }.prefix(24)).lowercased()
    let schema = options.schemaName.unicodeScalars.reduce(into: 5381) { $0 = ($0 &* 33) ^ Int($1.value) }
    var plain = options
    plain.history = .asStored
    // Only the first test of a model would see what makes the template.
    plain.observer = nil
    let template = try await server.template(for: "\(key)_\(UInt(bitPattern: schema))") { [plain] url in
        let container = try await PersistentContainer.open(url, model: model, options: plain)
        await container.close()
    }
    let database = try await Blocking.run { try server.createDatabase(from: template) }
    do {
        // A history belongs to one database, so that copies of it are refused.
        if options.history == .enabled {
            try await PersistentContainer.startHistory(at: database.url, model: model, options: options)
        }
        let result = try await body(database)
        try await Blocking.run { try database.drop() }
        return result
    } catch {
        // The test's own error is the one to report.
        _ = try? await Blocking.run { try database.drop() }
        throw error
    }
}
