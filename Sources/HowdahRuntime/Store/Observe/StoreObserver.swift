package import PQClient

/// An object that receives the statements, units of work and saves of a container as values.
///
/// Assign one to ``StoreOptions/observer`` before you open the container:
///
/// ```swift
/// final class SaveCounter: StoreObserver {
///     let saves = Atomic<Int>(0)
///
///     func observe(_ event: StoreEvent) {
///         if case .save = event { saves.add(1, ordering: .relaxed) }
///     }
/// }
/// ```
public protocol StoreObserver: Sendable {
    /// Receives an event, in the task in which it happened or in one with its task-local values.
    ///
    /// The call is on a thread of the container or on that of `performAndWait`, and never on one of Swift's
    /// threads. Events of the view context come on the main actor. The unit of work waits until the call
    /// returns, so it must be short. Several threads call it at the same time. It must not use the context
    /// that it observes. If it uses the container, it needs another connection while the unit of work
    /// holds one, and receives no events of that use. The same applies to tasks that it starts with
    /// `Task { }`, and to their tasks. Other tasks are observed, such as those of `Task.detached`, or a loop
    /// over a stream that the observer fills. If they use the container, each event causes the next one.
    func observe(_ event: StoreEvent)
}

/// The place of a store, as the connection string names it.
package struct StorePlace: Sendable {
    /// The database and the schema, in the form `database|schema`.
    package let namespace: String
    /// The host; nil for the local socket, or if a service or the environment decides.
    package let host: String?
    /// The port; nil for the default, or without a host.
    package let port: Int?
    /// Returns the numbers of connections at the moment.
    package let status: @Sendable () -> PoolStatus

    package init(
        namespace: String, host: String?, port: Int?, status: @escaping @Sendable () -> PoolStatus
    ) {
        self.namespace = namespace
        self.host = host
        self.port = port
        self.status = status
    }
}

extension StorePlace {
    /// Creates the place of a store that a pool reaches, from its connection string.
    ///
    /// - Parameter admission: The queue for the pool's connections.
    init(schemaName: String, _ pool: ConnectionPool, _ admission: AdmissionQueue) {
        let configuration = pool.configuration
        // Of several hosts, the pool's sessions may be on any.
        let host = configuration["host"].flatMap { $0.hasPrefix("/") || $0.contains(",") ? nil : $0 }
        let database = configuration["dbname"] ?? configuration["user"] ?? ""
        self.init(
            namespace: database.isEmpty ? schemaName : "\(database)|\(schemaName)",
            host: host, port: host == nil ? nil : configuration["port"].flatMap { Int($0) },
            status: { pool.status.waiting(also: admission.waiting) })
    }
}

extension PoolStatus {
    /// Returns the numbers with those that wait in line before the pool.
    func waiting(also others: Int) -> PoolStatus {
        PoolStatus(
            idle: idle, leased: leased, opening: opening, waiting: waiting + others, maximum: maximum)
    }
}
