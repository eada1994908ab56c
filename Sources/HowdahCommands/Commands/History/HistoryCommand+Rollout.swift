import ArgumentParser
import HowdahMigration

extension HistoryCommand {
    struct Enable: HistorySubcommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates the tables of the history. Programs write it after their next start.",
            discussion: """
                Programs that have the store open continue without history until you restart them. The command prints the \
                sessions on the database. The list is incomplete: programs behind a pooler, or without a connection, are \
                not in it. For sessions of other roles, address and time need the rights of pg_read_all_stats. After all \
                programs were restarted, run howdah history start.
                """)

        @OptionGroup var place: Place

        /// The output with --json.
        private struct Report: Encodable {
            let isNew: Bool
            let sessions: [HistorySession]
            /// The functions and indexes that were missing or changed in a store with a history, and were created again.
            let restored: [String]
        }

        func perform() throws {
            let (sessions, restored) = try place.administering { history in
                let sessions = try history.enable()
                return (sessions, try sessions == nil ? history.restoreFunctions() : [])
            }
            if json {
                return try Output.write(
                    json: Report(isNew: sessions != nil, sessions: sessions ?? [], restored: restored))
            }
            guard let sessions else {
                return try Output.write(
                    "The store already has a history."
                        + (restored.isEmpty
                            ? "" : " Created again: \(restored.joined(separator: ", "))."))
            }
            try Output.write(
                "enabled. Run howdah migrate doctor, which names roles whose saves would fail. Then restart all programs that use "
                    + "the store, and run howdah history start.")
            if sessions.isEmpty {
                return try Output.write("No other session is visible now. There may be others.")
            }
            try Output.write("Sessions that are visible now. There may be others:")
            for session in sessions {
                let details =
                    session.began.isEmpty ? "not visible" : "\(session.address)  since \(session.began)"
                try Output.write(
                    "  \(session.process)  \(session.application)  \(session.role)  \(details)".printable)
            }
            if sessions.contains(where: \.began.isEmpty) {
                try Output.write(
                    "Details of other roles' sessions are not visible. To see them, use a role with pg_read_all_stats."
                )
            }
        }
    }

    struct Start: HistorySubcommand {
        static let configuration = CommandConfiguration(
            abstract: "Lets the history count from now, and refuses programs that do not write it.",
            discussion: """
                All tables of the store are locked for a moment. Until howdah history trust, each statement that does not \
                write history fails, also those of psql. Tables of tracked entities are exempt, because their triggers \
                write it.
                """)

        @OptionGroup var place: Place

        func perform() throws {
            try report(
                place.administering { try $0.start() },
                "started. When no program fails any more, run howdah history trust.",
                "The history was started before.")
        }
    }

    struct Trust: HistorySubcommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes the guard of start, after all programs were restarted.")

        @OptionGroup var place: Place

        func perform() throws {
            try report(
                place.administering { try $0.trust() },
                "trusted. Statements are not checked any more.",
                "The store has no guard.")
        }
    }

    struct Track: HistorySubcommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes changes of other programs to the objects of an entity, with triggers.",
            discussion: """
                The entity's whole hierarchy is tracked, with the links of its relationships. Each statement on the \
                tables costs more. Programs of Howdah that have the store open report their changes twice until you \
                restart them. TRUNCATE is reported as a change of everything.
                """)

        @OptionGroup var place: Place

        @Argument(help: "The name of the entity.")
        var entity: String

        func perform() throws {
            try report(
                place.administering { try $0.track(entity) },
                "tracked. Restart the programs that have the store open.",
                "The entity was tracked before. Its triggers are complete.")
        }
    }

    struct Untrack: HistorySubcommand {
        static let configuration = CommandConfiguration(
            abstract: "Ends the tracking of other programs' changes to an entity.")

        @OptionGroup var place: Place

        @Argument(help: "The name of the entity.")
        var entity: String

        func perform() throws {
            try report(
                place.administering { try $0.untrack(entity) }, "not tracked any more",
                "The entity was not tracked.")
        }
    }
}
