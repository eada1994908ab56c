import Howdah
import HowdahCommands

/// `howdah` with the stages of this program: `tracks-to-artists migrate apply --database …`.
@main
enum TracksProgram {
    static func main() async throws {
        try await HowdahCommand.main(migrating: TracksPlan.self, model: TracksV2.model)
    }
}
