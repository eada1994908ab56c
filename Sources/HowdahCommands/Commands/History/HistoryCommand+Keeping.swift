import ArgumentParser
import Foundation
import HowdahMigration
import PQClient

/// The output with --json of the truncated parts of the history.
private struct PurgeReport: Encodable {
    let purged: [Int]
}

extension HistoryCommand {
    struct Keep: MigrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Keeps the history as open containers do: heartbeats, rotation, purge.",
            discussion: """
                Without --once it runs until you interrupt it. Use it if your programs are short-lived, and \
                StoreOptions.keepsHistory is false.
                """)

        @OptionGroup var place: Place

        @Flag(help: "Runs once, for example from cron.")
        var once = false

        @Option(help: "The number of seconds between two heartbeats.")
        var every = 5.0

        @Flag(help: "Prints JSON.")
        var json = false

        func validate() throws {
            if !(0.1...3600).contains(every) {
                throw ValidationError("--every is out of range. Use a number of seconds from 0.1 to 3600.")
            }
        }

        func perform() throws {
            while true {
                let purged = try place.administering(writing: false) { try $0.keep() }
                if once {
                    return try json
                        ? Output.write(json: PurgeReport(purged: purged)) : Output.write(Self.text(purged))
                }
                if !purged.isEmpty { Output.tell(Self.text(purged)) }
                Thread.sleep(forTimeInterval: every)
            }
        }

        static func text(_ purged: [Int]) -> String {
            purged.isEmpty
                ? "No part of the history is over."
                : "purged  \(purged.count == 1 ? "slot" : "slots") \(purged.map(String.init).joined(separator: ", "))"
        }
    }

    struct Purge: MigrationCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Removes the parts of the history that are older than the retention and read by all consumers.",
            discussion: "A part with a younger change stays as a whole, as does the part that is written now."
        )

        @OptionGroup var place: Place

        @Flag(help: "Prints JSON.")
        var json = false

        func perform() throws {
            let purged = try place.administering { try $0.purge() }
            try json ? Output.write(json: PurgeReport(purged: purged)) : Output.write(Keep.text(purged))
        }
    }

    struct Forget: MigrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a consumer, so that the history does not wait for it.",
            discussion: "If the consumer's program starts again, it has missed what was purged in between.")

        @OptionGroup var place: Place

        @Argument(help: "The name of the consumer, as howdah history status prints it.")
        var consumer: String

        @Flag(help: "Prints JSON.")
        var json = false

        func perform() throws {
            try place.administering { try $0.forget(consumer) }
            try report(true, json, "forgotten  \(consumer)".printable, "")
        }
    }
}
