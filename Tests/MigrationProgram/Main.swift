import Howdah
import HowdahCommands
import StagedModels

/// The commands with the stages of a program: what an application builds to migrate with its handlers.
@main
enum Main {
    static func main() async throws {
        try await HowdahCommand.main(migrating: Logbook.Plan.self, model: Logbook.V4.model)
    }
}
