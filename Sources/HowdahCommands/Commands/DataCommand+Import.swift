import ArgumentParser
import Foundation
import HowdahJSON
import HowdahRuntime

extension DataCommand {
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Imports JSON lines into a store: inserts new objects, and updates those with the same natural key.",
            discussion: """
                The command reads the output of export from standard input. The store is created if the schema is \
                empty. All lines are imported in one transaction. If an error occurs, its message names the line, \
                and the store is unchanged. If you import the same lines again, nothing changes, but objects without a \
                natural key are inserted again.
                """)

        @OptionGroup var store: StorePlace

        func run() async throws {
            let summary = try await CommandError.explained {
                try await store.withContainer { container in
                    store.address.announce()
                    return try await container.importGraph {
                        do {
                            let piece = try FileHandle.standardInput.read(upToCount: 1 << 20)
                            return piece?.isEmpty ?? true ? nil : piece
                        } catch {
                            throw CommandError(
                                "Cannot read standard input. Redirect a file to standard input: < file.jsonl")
                        }
                    }
                }
            }
            CommandError.note(
                "\(summary.objectCount) objects read: \(summary.insertedCount) inserted, "
                    + "\(summary.updatedCount) updated, \(summary.skippedCount) skipped")
        }
    }
}
