import ArgumentParser
import Foundation
import HowdahJSON
import HowdahModel
import HowdahRuntime

extension DataCommand {
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes a store, or what a fetch finds, as canonical JSON lines.",
            discussion: """
                One object per line on standard output, in an order that follows from the content: two stores can be \
                compared with diff. Objects are named by their natural keys; those without one by numbers. All lines \
                are one moment of the store. What was written is told on standard error.
                """)

        @OptionGroup var store: StorePlace

        @Option(help: ArgumentHelp("Only objects of this entity and its subentities.", valueName: "name"))
        var entity: String?

        @Option(
            name: .customLong("where"),
            help: ArgumentHelp(
                "Only objects of the entity that a predicate holds for, such as \"salary > 1000\".",
                valueName: "format"))
        var condition: String?

        @Option(
            name: .customLong("keypaths"),
            help: ArgumentHelp(
                """
                What of them, and of what they lead to, separated by commas: name,employees.* ; without it all that \
                their rows hold. All that it leads to is in memory at once.
                """, valueName: "paths"))
        var keyPaths: String?

        func validate() throws {
            if entity == nil, condition != nil || keyPaths != nil {
                throw ValidationError("--where and --keypaths need --entity.")
            }
        }

        func run() async throws {
            let summary = try await CommandError.explained {
                var export = GraphExport(entityName: entity)
                export.predicate = try condition.map { try PredicateTree(format: $0) }
                export.keyPaths =
                    keyPaths?.split(separator: ",").map {
                        $0.trimmingCharacters(in: .whitespaces)
                    } ?? []
                let chosen = export
                return try await store.withContainer { container in
                    try await container.exportGraph(chosen) { lines in
                        do {
                            try FileHandle.standardOutput.write(contentsOf: lines)
                        } catch {
                            throw CommandError(
                                "Cannot write to standard output: the disk may be full, or its reader is gone."
                            )
                        }
                    }
                }
            }
            for name in summary.omitted {
                CommandError.note(
                    "\(name) is left out: it leads to objects that nothing names outside of the export.")
            }
            for count in summary.counts where count.lines > 0 {
                CommandError.note("\(count.lines)  \(count.entityName)")
            }
            CommandError.note("\(summary.lineCount) objects written")
        }
    }
}
