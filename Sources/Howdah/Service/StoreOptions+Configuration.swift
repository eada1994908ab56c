#if Server || All || Configuration
public import Configuration
public import HowdahModel
public import HowdahRuntime

extension StoreOptions {
    /// Creates options from a configuration, and keeps the defaults of everything that it does not have.
    ///
    /// | key | option |
    /// |---|---|
    /// | `schema` | ``schemaName`` |
    /// | `maximumConnections` | ``maximumConnections`` |
    /// | `maximumWaitingUnits` | ``maximumWaitingUnits`` |
    /// | `connectionWait` | ``connectionWait``, in seconds |
    /// | `statementTimeout` | ``statementTimeout``, in seconds; 0 for no limit |
    /// | `drainingTime` | ``drainingTime``, in seconds |
    /// | `isReadOnly` | ``isReadOnly`` |
    ///
    /// - Parameter reader: The configuration at the place of the store, such as `config.scoped(to: "howdah")`.
    public init(reader: ConfigReader) {
        self.init()
        schemaName = reader.string(forKey: "schema", default: schemaName)
        maximumConnections = reader.int(forKey: "maximumConnections", default: maximumConnections)
        maximumWaitingUnits = reader.int(forKey: "maximumWaitingUnits", default: maximumWaitingUnits)
        if let seconds = reader.double(forKey: "connectionWait") { connectionWait = .seconds(seconds) }
        if let seconds = reader.double(forKey: "statementTimeout") {
            statementTimeout = seconds == 0 ? nil : .seconds(seconds)
        }
        if let seconds = reader.double(forKey: "drainingTime") { drainingTime = .seconds(seconds) }
        isReadOnly = reader.bool(forKey: "isReadOnly", default: isReadOnly)
    }
}

extension PersistentContainer {
    /// Opens the store that a configuration names by `url`, with the options of
    /// ``StoreOptions/init(reader:)``.
    ///
    /// The URL is read as a secret, so access logs of the configuration do not have it.
    ///
    /// - Parameters:
    ///   - reader: The configuration at the place of the store.
    ///   - model: The model of the store.
    /// - Throws: `StoreError` with `invalidOptions` if `url` is missing; the errors of
    ///   ``open(_:model:options:)``.
    public static func open(reader: ConfigReader, model: ManagedObjectModel) async throws
        -> PersistentContainer
    {
        guard let url = reader.string(forKey: "url", isSecret: true), !url.isEmpty else {
            throw StoreError(
                .invalidOptions,
                "The configuration has no url. Set url to the address of the database, such as "
                    + "postgres://user@host/name.")
        }
        return try await open(url, model: model, options: StoreOptions(reader: reader))
    }
}
#endif
