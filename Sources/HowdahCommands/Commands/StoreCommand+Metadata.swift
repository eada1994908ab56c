import ArgumentParser
import Foundation
import HowdahRuntime

extension StoreCommand {
    struct Metadata: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the metadata of a store, and sets or removes entries.",
            discussion: """
                Values are JSON: --set region='"eu"' --set shards=4. Entries that you do not name stay unchanged.
                """)

        @OptionGroup var address: StoreAddress

        @Option(help: ArgumentHelp("Sets an entry to a JSON value.", valueName: "key=json"))
        var set: [String] = []

        @Option(help: ArgumentHelp("Removes an entry.", valueName: "key"))
        var remove: [String] = []

        @Flag(help: "Prints JSON.")
        var json = false

        /// What is printed with --json.
        private struct Report: Encodable {
            let store: String
            let checksum: String
            let version: String?
            let entityVersionHashes: [String: String]
            let createdAt: String
            let usesExistingTables: Bool
            let entries: [String: MetadataValue]
        }

        func validate() throws { _ = try changes() }

        private func changes() throws -> [String: MetadataValue?] {
            var changes: [String: MetadataValue?] = [:]
            for entry in set {
                let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else {
                    throw ValidationError(
                        "--set needs a key, = and a JSON value. Write for example --set shards=4.")
                }
                guard let value = MetadataValue(json: String(parts[1])) else {
                    throw ValidationError(
                        "--set \(parts[0]): the value is not JSON. Put a text in quotes, as in --set \(parts[0])='\"text\"'."
                            .printable)
                }
                guard changes.updateValue(value, forKey: String(parts[0])) == nil else {
                    throw ValidationError(
                        "--set names the key \(parts[0]) twice. Name the key once.".printable)
                }
            }
            for key in remove {
                guard changes.updateValue(nil, forKey: key) == nil else {
                    throw ValidationError(
                        "--set and --remove name the key \(key) twice. Name the key once.".printable)
                }
            }
            return changes
        }

        func run() async throws {
            let url = try address.url
            let options = StoreCommand.options(schema: address.schema)
            let changes = try changes()
            if !changes.isEmpty { address.announce() }
            let metadata = try await StoreCommand.explained {
                if !changes.isEmpty {
                    try await PersistentContainer.setMetadata(changes, at: url, options: options)
                }
                return try await PersistentContainer.metadata(at: url, options: options)
            }
            let report = Report(
                store: metadata.storeIdentifier.uuidString.lowercased(), checksum: metadata.versionChecksum,
                version: metadata.versionIdentifier, entityVersionHashes: metadata.entityVersionHashes,
                createdAt: metadata.createdAt.ISO8601Format(),
                usesExistingTables: metadata.usesExistingTables,
                entries: metadata.entries)
            if json { return try Output.write(json: report) }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            var lines = ["store  \(report.store)", "model  \(report.checksum)"]
            if let version = report.version { lines.append("version  \(version)") }
            lines.append("created  \(report.createdAt)")
            if report.usesExistingTables { lines.append("tables  another program's") }
            for (key, value) in report.entries.sorted(by: { $0.key < $1.key }) {
                lines.append("entry  \(key)  \(String(decoding: try encoder.encode(value), as: UTF8.self))")
            }
            try Output.write(lines.map(\.printable).joined(separator: "\n"))
        }
    }
}
