import Foundation
import NIOCore

/// `Tracker demo` starts a tracker with data on a private PostgreSQL. `Tracker serve` and `Tracker work` are for
/// production: they find the database as `PersistentContainer.open(model:)` does.
@main struct Main {
    static func main() async {
        // Bootstrap back ends for metrics and traces here, before anything records.
        do {
            try await run()
        } catch is CancellationError {
            fail("Some requests did not end in the time for the shutdown. They were cut off.", status: 1)
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            fail("Another program uses the port. Set PORT to another one.", status: 1)
        } catch {
            fail("\(error)", status: 1)
        }
    }

    private static func run() async throws {
        let configuration = try Configuration(ProcessInfo.processInfo.environment)
        switch CommandLine.arguments.dropFirst().first {
        case "demo": try await Demo(configuration).run()
        case "serve": try await TrackerApp.serve(configuration)
        case "work": try await TrackerApp.work(configuration)
        case "seed": try await TrackerApp.seed()
        default: fail("The command is unknown. Use demo, serve, work or seed.", status: 64)
        }
    }

    private static func fail(_ text: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data("Tracker: \(text)\n".utf8))
        exit(status)
    }
}
