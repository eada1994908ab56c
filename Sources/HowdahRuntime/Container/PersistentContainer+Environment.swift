public import Foundation
public import HowdahModel

extension PersistentContainer {
    /// Opens the store of the database that the environment names.
    ///
    /// The first of these counts, and empty variables count as unset:
    /// 1. `HOWDAH_DATABASE`,
    /// 2. `DATABASE_URL`,
    /// 3. libpq's own variables, if `PGHOST`, `PGHOSTADDR`, `PGSERVICE` or `PGDATABASE` is set.
    ///
    /// The tool `howdah` uses the same order, so one setting serves the program and its migrations.
    ///
    /// Variables that only complete an address, such as `PGPASSWORD`, are those of the process.
    ///
    /// - Parameters:
    ///   - environment: The variables; by default those of the process.
    ///   - model: The model of the store.
    ///   - options: The schema and the limits; see ``StoreOptions``.
    /// - Throws: `StoreError` with `invalidOptions` if no variable names a database; the errors of
    ///   ``open(_:model:options:)``.
    public static func open(
        environment: [String: String] = ProcessInfo.processInfo.environment, model: ManagedObjectModel,
        options: StoreOptions = StoreOptions()
    ) async throws -> PersistentContainer {
        guard let address = DatabaseAddress(environment: environment) else {
            throw StoreError(
                .invalidOptions,
                "The environment names no database. Set \(DatabaseAddress.variables) to a URL such as "
                    + "postgres://user@host/name.")
        }
        return try await open(address.url, model: model, options: options)
    }
}
