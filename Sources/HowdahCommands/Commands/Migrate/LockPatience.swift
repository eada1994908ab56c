import ArgumentParser
import HowdahMigration

/// How long a migration waits for locks.
struct LockPatience: ParsableArguments {
    @Option(
        name: .customLong("lock-timeout"),
        help: ArgumentHelp(
            "The time that one try waits for a table's lock while other sessions queue. Defaults to 2 seconds.",
            valueName: "seconds"))
    var timeout: Double?

    @Option(
        name: .customLong("lock-budget"),
        help: ArgumentHelp(
            "The time limit of all tries, including the wait for another migration. Defaults to 60 seconds.",
            valueName: "seconds"))
    var budget: Double?

    func validate() throws {
        for (name, seconds) in [("--lock-timeout", timeout), ("--lock-budget", budget)] {
            if let seconds, !(seconds >= 0.001 && seconds < 1_000_000) {
                throw ValidationError(
                    "\(name) is out of range. Use a number of seconds from 0.001, below 1000000.")
            }
        }
    }

    /// Puts what was given into the options of a migration.
    func apply(to options: inout MigrationOptions) {
        if let timeout { options.lockTimeout = .seconds(timeout) }
        if let budget { options.lockBudget = .seconds(budget) }
    }
}
