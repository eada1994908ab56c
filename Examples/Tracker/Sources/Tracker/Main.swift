import Foundation

/// `Tracker demo` starts a tracker with data on a private PostgreSQL. `Tracker serve` and `Tracker work` are for
/// production: they find the database as `PersistentContainer.open(model:)` does.
@main struct Main {
    static func main() async throws {
        let configuration = try Configuration(ProcessInfo.processInfo.environment)
        switch CommandLine.arguments.dropFirst().first {
        case "demo": try await Demo(configuration).run()
        case "serve": try await TrackerApp.serve(configuration)
        case "work": try await TrackerApp.work(configuration)
        case "seed": try await TrackerApp.seed()
        default:
            FileHandle.standardError.write(Data("usage: Tracker demo|serve|work|seed\n".utf8))
            exit(64)
        }
    }
}
