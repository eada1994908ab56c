import Foundation
import Howdah
import Logging
import StagedModels

extension StoreOptions {
    /// The process kills itself once it has sent a number of statements.
    static func dying(after count: Int) -> StoreOptions {
        var options = StoreOptions()
        options.logger = Logger(label: "dying") { _ in
            DeathAfterStatements(after: count) { kill(getpid(), SIGKILL) }
        }
        return options
    }
}
