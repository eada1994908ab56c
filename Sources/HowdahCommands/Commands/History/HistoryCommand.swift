import ArgumentParser
import HowdahMigration
import HowdahSchema
import PQClient

/// `howdah history`: the history of changes that a store keeps.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Turns on, watches and keeps a store's history of changes.",
        discussion: """
            To turn on the history of a store in use, run enable, restart all programs, run start, and after a while \
            trust. Exit status: 0 done, or nothing to do; 1 refused or failed, and nothing was changed; 5 another program \
            works on the store, or its tables could not be locked in time; 64 wrong arguments.
            """,
        subcommands: [
            Enable.self, Start.self, Trust.self, Status.self, List.self, Keep.self, Purge.self, Forget.self,
            Track.self, Untrack.self, Adopt.self, Reset.self, Disable.self,
        ])

    /// The options of all commands: the store, the time to wait for locks, and the form of the output.
    struct Place: ParsableArguments {
        @OptionGroup var address: StoreAddress
        @OptionGroup var patience: LockPatience

        @Flag(help: "Prints JSON.")
        var json = false

        /// Runs `body` with what administers the history.
        func administering<T>(
            writing isWriting: Bool = true, _ body: (HistoryAdministration) throws -> T
        ) throws -> T {
            if isWriting { address.announce() }
            return try MigrateCommand.explained {
                let connection = try address.connect(as: "howdah history")
                defer { connection.close() }
                var options = MigrationOptions()
                patience.apply(to: &options)
                return try body(
                    HistoryAdministration(
                        connection, schemaName: address.schema, lockBudget: options.lockBudget,
                        lockTimeout: options.lockTimeout))
            }
        }
    }

    /// The confirmation of what cannot be undone.
    struct Confirmation: ParsableArguments {
        @Option(
            name: .customLong("confirm"),
            help: ArgumentHelp(
                "The id of the history, as howdah history status prints it. Without this option, nothing is removed.",
                valueName: "id"))
        var word: String?

        /// - Throws: `CommandError` that says what would be lost and how to confirm it.
        func check(_ id: String, _ deed: String) throws {
            guard word?.lowercased() == id else {
                throw CommandError(
                    word == nil
                        ? "This \(deed), and needs your confirmation. Nothing was changed. Add --confirm \(id)"
                        : "--confirm names another history. The id to confirm is \(id). Nothing was changed. "
                            + "Check --database, --schema and the id.",
                    code: "unconfirmed")
            }
        }
    }
}

/// One of the commands on the history, with the options of all of them.
protocol HistorySubcommand: MigrationCommand {
    var place: HistoryCommand.Place { get }
}

extension HistorySubcommand {
    var json: Bool { place.json }

    /// Prints whether something was changed.
    func report(_ isChanged: Bool, _ changed: String, _ unchanged: String) throws {
        if json { return try Output.write(json: ChangeReport(isChanged: isChanged)) }
        try Output.write(isChanged ? changed : unchanged)
    }
}

/// The output with --json of commands that change something or have nothing to do.
private struct ChangeReport: Encodable {
    let isChanged: Bool
}
