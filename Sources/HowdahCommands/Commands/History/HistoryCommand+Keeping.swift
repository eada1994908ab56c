import ArgumentParser
import Dispatch
import Foundation
import HowdahMigration
import HowdahSchema
import PQClient

/// The output with --json of the truncated parts of the history.
private struct PurgeReport: Encodable {
    let purged: [Int]
    /// The consumers that hold parts which are past the retention.
    let heldBy: [String]

    /// Purges once.
    init(_ purge: (HistoryAdministration) throws -> [Int], by history: HistoryAdministration) throws {
        purged = try purge(history)
        heldBy = try history.status().holders
    }

    var text: String {
        let removed = purged.isEmpty ? nil : HistoryCommand.Keep.text(purged)
        let held =
            heldBy.isEmpty
            ? nil
            : "A part of the history is past the retention, and held by the \(heldBy.count == 1 ? "consumer" : "consumers") "
                + "\(heldBy.joined(separator: ", ")). Run \(heldBy.count == 1 ? "its program" : "their programs"), or remove "
                + "\(heldBy.count == 1 ? "it" : "them") with howdah history forget."
        let lines = [removed, held].compactMap { $0 }
        return lines.isEmpty ? "No part of the history is over." : lines.joined(separator: "\n").printable
    }
}

extension HistoryCommand {
    struct Keep: HistorySubcommand {
        static let configuration = CommandConfiguration(
            abstract: "Keeps the history as open containers do: heartbeats, rotation, purge.",
            discussion: """
                Without --once it runs until SIGINT or SIGTERM, and then writes a last heartbeat. Use it if your programs are short-lived, and \
                StoreOptions.keepsHistory is false.
                """)

        @OptionGroup var place: Place

        @Flag(help: "Runs once, for example from cron.")
        var once = false

        @Option(
            help: "The number of seconds between two runs. A heartbeat is written if the last one is 4 s old."
        )
        var every = 5.0

        func validate() throws {
            if !(0.1...3600).contains(every) {
                throw ValidationError("--every is out of range. Use a number of seconds from 0.1 to 3600.")
            }
        }

        func perform() throws {
            let ending = once ? nil : Ending()
            var isLast = false
            while true {
                if once {
                    let report = try place.administering(writing: false) { history in
                        try PurgeReport({ try $0.keep() }, by: history)
                    }
                    return try json ? Output.write(json: report) : Output.write(report.text)
                }
                let purged = try place.administering(writing: false) { try $0.keep() }
                if !purged.isEmpty { Output.tell(Self.text(purged)) }
                if isLast { return }
                isLast = ending?.wait(seconds: every) ?? true
            }
        }

        /// The wait for SIGINT or SIGTERM. The second one ends the process.
        private final class Ending {
            private let semaphore = DispatchSemaphore(value: 0)
            private let sources: [any DispatchSourceSignal]

            init() {
                sources = [SIGINT, SIGTERM].map { [semaphore] number in
                    signal(number, SIG_IGN)
                    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
                    source.setEventHandler {
                        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
                        semaphore.signal()
                    }
                    source.resume()
                    return source
                }
            }

            /// Returns true if a signal came before the time was over.
            func wait(seconds: Double) -> Bool { semaphore.wait(timeout: .now() + seconds) == .success }
        }

        static func text(_ purged: [Int]) -> String {
            "purged  \(purged.count == 1 ? "slot" : "slots") \(purged.map(String.init).joined(separator: ", "))"
        }
    }

    struct Purge: HistorySubcommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Removes the parts of the history that are older than the retention and read by all consumers.",
            discussion: "A part with a younger change stays as a whole, as does the part that is written now."
        )

        @OptionGroup var place: Place

        func perform() throws {
            let report = try place.administering { history in
                try PurgeReport({ try $0.purge() }, by: history)
            }
            try json ? Output.write(json: report) : Output.write(report.text)
        }
    }

    struct Forget: HistorySubcommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a consumer, so that the history does not wait for it.",
            discussion: "If the consumer's program starts again, it has missed what was purged in between.")

        @OptionGroup var place: Place

        @Argument(help: "The name of the consumer, as howdah history status prints it.")
        var consumer: String

        func perform() throws {
            try place.administering { try $0.forget(consumer) }
            try report(true, "forgotten  \(consumer)".printable, "")
        }
    }
}
