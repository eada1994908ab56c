import Howdah
import HowdahCommands
import StagedModels

/// The commands with the stages of a program: what an application builds to migrate with its handlers.
@main
enum Main {
    static func main() async throws {
        await HowdahCommand.main(migrating: Logbook.Plan.self, model: try Logbook.V4.model)
    }
}
