import ArgumentParser
import Foundation
import HowdahJSON
import HowdahModel
import HowdahRuntime

extension DataCommand {
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Exports a store, or the objects that a fetch finds, as canonical JSON lines.",
            discussion: """
                Standard output has one object per line. The order follows from the content, so you can compare two \
                stores with diff. Objects are named by their natural keys, or by numbers if they have none. All lines \
                show the store at the same moment. A summary is printed to standard error.
                """)

        @OptionGroup var store: StorePlace

        @Option(
            help: ArgumentHelp("Exports only objects of this entity and its subentities.", valueName: "name"))
        var entity: String?

        @Option(
            name: .customLong("where"),
            help: ArgumentHelp(
                "Exports only objects of the entity that match a predicate, such as \"salary > 1000\".",
                valueName: "format"))
        var condition: String?

        @Option(
            name: .customLong("keypaths"),
            help: ArgumentHelp(
                """
                The key paths to export, separated by commas, such as name,employees.* for the objects and their \
                related objects. Defaults to all values in the objects' rows. All objects that the key paths reach \
                are in memory at once.
                """, valueName: "paths"))
        var keyPaths: String?

        func validate() throws {
            if entity == nil, condition != nil || keyPaths != nil {
                throw ValidationError(
                    "--where and --keypaths apply to the objects of one entity, and no entity is given. Add "
                        + "--entity.")
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
                // Opening makes a store if there is none, and an export is to change nothing.
                _ = try await PersistentContainer.metadata(at: store.address.url, options: store.options)
                return try await store.withContainer { container in
                    try await container.exportGraph(chosen) { lines in
                        do {
                            try FileHandle.standardOutput.write(contentsOf: lines)
                        } catch {
                            throw CommandError(
                                "Cannot write to standard output. The disk may be full, or the program that reads the output may "
                                    + "have ended. Check the disk and that program, then retry."
                            )
                        }
                    }
                }
            }
            for name in summary.omitted {
                CommandError.note(
                    "\(name) is omitted, because it refers to objects without a natural key that are not exported. Export those "
                        + "objects as well, or add a uniqueness constraint to their entity."
                )
            }
            for count in summary.counts where count.lines > 0 {
                CommandError.note("\(count.lines)  \(count.entityName)")
            }
            CommandError.note("\(summary.lineCount) objects written")
        }
    }
}
