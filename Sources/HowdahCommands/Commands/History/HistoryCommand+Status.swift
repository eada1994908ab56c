import ArgumentParser
import HowdahMigration
import HowdahSchema

extension HistoryCommand {
    struct Status: HistorySubcommand {
        static let configuration = CommandConfiguration(
            abstract: "Reports how far the history is, its size, and its consumers.")

        @OptionGroup var place: Place

        func perform() throws {
            let status = try place.administering(writing: false) { try $0.status() }
            if json { return try Output.write(json: status) }
            var lines = [
                "history  \(status.incarnation)  \(status.phase)",
                "kept  \(status.retention / 86_400) d \(status.retention % 86_400 / 3600) h, last heartbeat "
                    + "\(status.heartbeatAge) s ago, \(status.bytes / 1024) kB"
                    + (status.oldestAge.map { ", oldest change \($0) s ago" } ?? ""),
            ]
            if let refusal = status.refusal { lines.append("! \(refusal)") }
            if !status.tracked.isEmpty { lines.append("tracked  \(status.tracked.joined(separator: ", "))") }
            for slot in status.slots where slot.isUsed || slot.number == status.current {
                let mark = slot.number == status.current ? "  written since \(status.openedAt)" : ""
                lines.append("slot \(slot.number)  \(slot.bytes / 1024) kB\(mark)")
            }
            for consumer in status.consumers {
                lines.append(
                    "consumer  \(consumer.name)  acknowledged \(consumer.acknowledgedAt)"
                        + (consumer.isLost
                            ? "  cannot continue"
                            : consumer.isBehind ? "  has changes of \(consumer.lag) s to read" : ""))
            }
            try Output.write(lines.map(\.printable).joined(separator: "\n"))
        }
    }

    struct List: HistorySubcommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Lists the newest changes: number, time, kind, entity, properties, author / context, keys.",
            discussion: "Names are stored names, which a renaming keeps.")

        @OptionGroup var place: Place

        @Option(help: "The number of lines.")
        var limit = 20

        @Option(help: "The stored name of an entity.")
        var entity: String?

        func validate() throws {
            if !(1...100_000).contains(limit) {
                throw ValidationError("--limit is out of range. Use a number from 1 to 100000.")
            }
        }

        func perform() throws {
            let entries = try place.administering(writing: false) { try $0.list(limit: limit, of: entity) }
            if json { return try Output.write(json: entries) }
            if entries.isEmpty {
                let what = entity.map { "changes of \($0)" } ?? "changes"
                return try Output.write("The history has no \(what).".printable)
            }
            for entry in entries {
                let what =
                    entry.entity.isEmpty
                    ? "anything"
                    : entry.entity + (entry.properties.map { "(\($0.joined(separator: ", ")))" } ?? "")
                let keys =
                    entry.ids.map(String.init).joined(separator: ",")
                    + (entry.count > entry.ids.count ? ",…" : "")
                let who = entry.context.map { "\(entry.author ?? "") / \($0)" } ?? entry.author ?? ""
                try Output.write(
                    "\(entry.number).\(entry.part)  \(entry.storedAt)  \(entry.origin)  \(entry.kind)  \(what)  \(entry.count): \(keys)"
                        .printable + (who.isEmpty ? "" : "  \(who.printable)"))
            }
        }
    }
}
