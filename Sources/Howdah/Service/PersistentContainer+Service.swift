#if Server || All || ServiceLifecycle
public import HowdahRuntime
public import ServiceLifecycle

/// A container as a service of a `ServiceGroup`, such as that of a Hummingbird application.
///
/// ```swift
/// let container = try await PersistentContainer.open(environment: environment, model: Shop.model)
/// let app = Application(router: router, services: [container])
/// try await app.runService()
/// ```
/// A group starts its services in their order and ends them in the opposite one. List the container before
/// the server, so that it is closed when the last request has been answered.
extension PersistentContainer: Service {
    /// Waits for the graceful shutdown, or for the end of the task, and closes the container.
    ///
    /// Running units of work have ``StoreOptions/drainingTime`` to finish. The container is open before this
    /// call, and works without it.
    public func run() async throws {
        try? await gracefulShutdown()
        await close()
    }
}
#endif
