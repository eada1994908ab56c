import Configuration
import Howdah
import Hummingbird
import ServiceLifecycle

/// The examples of `docs/in-a-server.md`, which `check.py` compares with the page.
enum Guide {
    static func first(_ model: ManagedObjectModel) async throws {
        var options = StoreOptions()
        options.drainingTime = .seconds(20)
        let container = try await PersistentContainer.open(model: model, options: options)

        let router = Router()
        router.get("ready") { _, _ in
            let readiness = await container.ready()
            return Response(status: readiness.isReady ? .ok : .serviceUnavailable)
        }
        let app = Application(router: router, services: [container])
        var shutdown = ServiceGroupConfiguration(
            services: [app], gracefulShutdownSignals: [.sigterm, .sigint], logger: app.logger)
        shutdown.maximumGracefulShutdownDuration = .seconds(25)
        try await ServiceGroup(configuration: shutdown).run()
    }

    static func second(_ model: ManagedObjectModel) async throws -> PersistentContainer {
        let config = ConfigReader(provider: EnvironmentVariablesProvider())
        let container = try await PersistentContainer.open(
            reader: config.scoped(to: "howdah"), model: model)
        return container
    }
}
