import Configuration
import Foundation
import Howdah
import Hummingbird
import LocalPostgres
import ServiceLifecycle

/// `Server start|stop FOLDER` starts or stops a private PostgreSQL, `Server make` prints the id of a new page, and
/// `Server serve PORT environment|reader|wrong` serves the pages.
@main struct Program {
    static func main() async throws {
        let pages = try ManagedObjectModel.pages
        let arguments = CommandLine.arguments.dropFirst()
        switch (arguments.first, arguments.dropFirst().first) {
        case ("start", let folder?): print(try cluster(folder).start(database: "pages"))
        case ("stop", let folder?): _ = try cluster(folder).stop()
        case ("make", _):
            let container = try await PersistentContainer.open(model: pages)
            let id = try await container.perform { context in
                let page = Page(context: context)
                page.title = "New"
                try context.save()
                return page.objectID.pathComponent
            }
            await container.close()
            print(id)
        case ("serve", let port?): try await serve(Int(port) ?? 0, arguments.last ?? "")
        default: throw CocoaError(.coderInvalidValue)
        }
    }

    private static func cluster(_ folder: String) throws -> DevelopmentCluster {
        try DevelopmentCluster(in: URL(filePath: folder))
    }

    private static func serve(_ port: Int, _ source: String) async throws {
        let pages = try ManagedObjectModel.pages
        var options = StoreOptions()
        options.drainingTime = .seconds(5)
        let container =
            switch source {
            case "environment", "wrong": try await PersistentContainer.open(model: pages, options: options)
            default:
                try await PersistentContainer.open(
                    reader: ConfigReader(provider: EnvironmentVariablesProvider()).scoped(to: "howdah"),
                    model: pages)
            }
        let router = Router()
        router.add(middleware: ProblemMiddleware())
        PageController(container: container, isWrong: source == "wrong").addRoutes(to: router)
        let app = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)),
            services: [container])
        var shutdown = ServiceGroupConfiguration(
            services: [app], gracefulShutdownSignals: [.sigterm], logger: app.logger)
        shutdown.maximumGracefulShutdownDuration = .seconds(3)
        try await ServiceGroup(configuration: shutdown).run()
    }
}
