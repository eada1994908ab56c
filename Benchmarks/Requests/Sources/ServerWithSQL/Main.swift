import Foundation
import Hummingbird
import LocalPostgres

/// `ServerWithSQL serve` serves the endpoints on `PORT`, with the database of `HOWDAH_DATABASE`. `ServerWithSQL database`
/// starts a private PostgreSQL with the settings of the other benchmarks, prints its URL, and ends with standard input.
/// With `RECORDS_CHANGES`, changes also write the store's history.
@main struct Main {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        switch CommandLine.arguments.dropFirst().first {
        case "serve":
            let routes = Routes(
                database: try Database(environment["HOWDAH_DATABASE"] ?? ""),
                tokens: await Tokens(secret: environment["TRACKER_SECRET"] ?? ""),
                recordsChanges: environment["RECORDS_CHANGES"] != nil)
            let port = environment["PORT"].flatMap { Int($0) } ?? 8080
            try await Application(
                router: routes.router(), configuration: .init(address: .hostname("127.0.0.1", port: port))
            ).runService()
        case "database":
            let cluster = try LocalCluster.start(settings: [
                "shared_buffers": "512MB", "fsync": "on", "full_page_writes": "on",
                "synchronous_commit": "off", "max_wal_size": "4GB", "max_connections": "50",
                "wal_level": "replica",
            ])
            print(cluster.url(database: "postgres"))
            fflush(nil)
            while readLine() != nil {}
            cluster.stop()
        default:
            FileHandle.standardError.write(Data("usage: ServerWithSQL serve|database\n".utf8))
            exit(64)
        }
    }
}
