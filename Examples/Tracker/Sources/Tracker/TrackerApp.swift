import Howdah
import Hummingbird
import Logging
import ServiceLifecycle

/// The parts of the program, put together.
enum TrackerApp {
    static func container(_ options: StoreOptions = options) async throws -> PersistentContainer {
        try await PersistentContainer.open(model: .tracker, options: options)
    }

    static var options: StoreOptions {
        var options = StoreOptions()
        options.accepting = .compatible  // programs of two versions run during a deploy
        options.history = .enabled  // boards follow the changes of all servers
        options.connectionWait = .seconds(5)
        options.statementTimeout = .seconds(10)
        options.drainingTime = .seconds(5)
        options.resolvesLostCommits = true
        options.observer = StoreTelemetry()  // nil without a back end
        return options
    }

    /// Serves requests and works on jobs until SIGTERM.
    static func serve(_ configuration: Configuration) async throws {
        try await run(configuration, on: container())
    }

    static func run(_ configuration: Configuration, on container: PersistentContainer) async throws {
        container.statistics.start()  // for the report at /admin
        let boards = Boards(container)
        let draining = Draining(notice: configuration.notice, boards: boards)
        let router = try await router(configuration, container, boards, draining)
        router.addOtherMethods()
        let server = Application(
            router: router,
            configuration: .init(address: .hostname(configuration.host, port: configuration.port)))
        let worker = JobWorker(container, count: configuration.workers)
        // A group ends its services from last to first: not ready, no requests, no jobs, no database.
        try await group([container, boards, worker, server, draining]).run()
    }

    /// Works on jobs only, until SIGTERM.
    static func work(_ configuration: Configuration) async throws {
        let container = try await container()
        try await group([container, JobWorker(container, count: max(configuration.workers, 1))]).run()
    }

    private static func group(_ services: [any Service]) -> ServiceGroup {
        var configuration = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Logger(label: "tracker"))
        configuration.maximumGracefulShutdownDuration = .seconds(9)
        return ServiceGroup(configuration: configuration)
    }
}
