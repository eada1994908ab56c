import Foundation
import Howdah
import Logging
import StagedModels

/// Opens a logbook with its plan, and kills itself once it has sent a number of statements.
struct Migrator {
    let url: String
    let lastStatement: Int
    let way: Logbook.Way

    func run() async throws {
        var options = StoreOptions()
        let count = lastStatement
        options.logger = Logger(label: "migrator") { _ in
            DeathAfterStatements(after: count) { kill(getpid(), SIGKILL) }
        }
        let container = try await PersistentContainer.open(
            url, model: Logbook.V4.model, migrating: way.plan, options: options)
        await container.close()
        print("done")
    }
}
