import ArgumentParser
import HowdahMigration

extension HistoryCommand {
    struct Adopt: HistorySubcommand {
        static let configuration = CommandConfiguration(
            abstract: "Continues the history after pg_upgrade.",
            discussion: """
                pg_upgrade gives the cluster another identifier, so that programs refuse the store. Tokens and consumers stay \
                valid. Never use it after restoring a dump or in a clone: programs would miss changes. There, use \
                howdah history reset.
                """)

        @OptionGroup var place: Place

        @Flag(help: "Confirms that pg_upgrade created this cluster.")
        var afterUpgrade = false

        func perform() throws {
            guard afterUpgrade else {
                throw CommandError(
                    "After pg_upgrade, add --after-upgrade. In a clone or after restoring a dump, run howdah history reset instead.",
                    code: "unconfirmed")
            }
            try report(
                place.administering { try $0.adopt() },
                "adopted. Programs can open the store again.",
                "The history is of this cluster.")
        }
    }

    struct Reset: HistorySubcommand {
        static let configuration = CommandConfiguration(
            abstract: "Begins a new history, after restoring a dump or in a clone.",
            discussion: "All changes in the old history are removed. Tokens and consumers of it expire.")

        @OptionGroup var place: Place
        @OptionGroup var confirmation: Confirmation

        func perform() throws {
            try place.administering { history in
                try confirmation.check(
                    history.confirmation(), "removes the history, and all tokens and consumers expire")
                try history.reset()
            }
            try report(true, "reset. Programs can open the store again.", "")
        }
    }

    struct Disable: HistorySubcommand {
        static let configuration = CommandConfiguration(
            abstract: "Drops the history with everything in it.",
            discussion: """
                Stop all programs first: saves of programs that have the store open fail until you restart them. If a \
                consumer is registered, the command refuses.
                """)

        @OptionGroup var place: Place
        @OptionGroup var confirmation: Confirmation

        func perform() throws {
            try place.administering { history in
                try confirmation.check(history.confirmation(), "drops the history with everything in it")
                try history.disable()
            }
            try report(true, "disabled. Restart the programs that have the store open.", "")
        }
    }
}
