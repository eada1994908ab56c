import Foundation
import Howdah
import Logging
import StagedModels

/// Migrates a register with deferral, finishes that, and kills itself once it has sent a number of statements.
struct Deferrer {
    let url: String
    let lastStatement: Int

    func run() async throws {
        var options = StoreOptions()
        let count = lastStatement
        options.logger = Logger(label: "deferrer") { _ in
            DeathAfterStatements(after: count) { kill(getpid(), SIGKILL) }
        }
        try await Register.migrate(url, options)
        print("done")
    }
}
