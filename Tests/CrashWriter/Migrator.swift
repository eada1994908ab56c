import Foundation
import Howdah
import StagedModels

/// Opens a logbook with its plan, and kills itself once it has sent a number of statements.
struct Migrator {
    let url: String
    let lastStatement: Int
    let way: Logbook.Way

    func run() async throws {
        let container = try await PersistentContainer.open(
            url, model: Logbook.V4.model, migrating: way.plan, options: .dying(after: lastStatement))
        await container.close()
        print("done")
    }
}
