import Foundation
import Howdah
import StagedModels

/// Migrates a register with deferral, finishes that, and kills itself once it has sent a number of statements.
struct Deferrer {
    let url: String
    let lastStatement: Int

    func run() async throws {
        try await Register.migrate(url, .dying(after: lastStatement))
        print("done")
    }
}
