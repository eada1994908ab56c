import Foundation
import Howdah
import LocalPostgres

/// A tracker with data on a private PostgreSQL in `.howdah/postgres`, to try it.
struct Demo {
    private var configuration: Configuration

    init(_ configuration: Configuration) {
        self.configuration = configuration
        self.configuration.administrators = ["ada"]
        self.configuration.secret = String(repeating: "a demo has no secrets ", count: 2)
    }

    func run() async throws {
        let cluster = try DevelopmentCluster(in: URL(filePath: ".howdah/postgres"))
        let url = try cluster.start()
        let container = try await PersistentContainer.open(url, model: .tracker, options: TrackerApp.options)
        try await container.perform { context in
            if try context.count(for: FetchRequest<User>()) == 0 { try Seed.insert(into: context) }
        }
        let here = "http://\(configuration.host):\(configuration.port)"
        print(
            """
            The tracker is at \(here). Its database is \(url); stop it with: swift run howdah db stop
            See the store at \(here)/admin with the login ada and the password lovelace.
            Try:

              TOKEN=$(curl -s \(here)/login -d '{"login":"ada","password":"lovelace"}' | cut -d'"' -f4)
              curl -sG \(here)/projects/CORE/issues -H "Authorization: Bearer $TOKEN" --data-urlencode "where=priority <= 2"
              curl -N \(here)/projects/CORE/events -H "Authorization: Bearer $TOKEN"

            """)
        fflush(nil)
        try await TrackerApp.run(configuration, on: container)
    }
}
