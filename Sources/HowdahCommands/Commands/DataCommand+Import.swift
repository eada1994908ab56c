import ArgumentParser
import Foundation
import HowdahJSON
import HowdahRuntime

extension DataCommand {
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Reads JSON lines into a store: inserts, or updates what has the same natural key.",
            discussion: """
                Takes what export writes from standard input. The store is made where the schema is empty. All lines are \
                one transaction: after an error, which names its line, the store is as it was. Reading the same lines \
                again changes nothing, except that objects without a natural key are inserted again.
                """)

        @OptionGroup var store: StorePlace

        func run() async throws {
            let summary = try await CommandError.explained {
                try await store.withContainer { container in
                    try await container.importGraph {
                        do {
                            let piece = try FileHandle.standardInput.read(upToCount: 1 << 20)
                            return piece?.isEmpty ?? true ? nil : piece
                        } catch {
                            throw CommandError("Cannot read standard input; give it a file: < file.jsonl")
                        }
                    }
                }
            }
            CommandError.note(
                "\(summary.objectCount) objects read: \(summary.insertedCount) inserted, "
                    + "\(summary.updatedCount) updated")
        }
    }
}
