import ArgumentParser
import Foundation
import HowdahRuntime
import PQClient

/// `howdah store`: a store as a whole, without its model.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Describes, destroys or replaces a store.",
        discussion: """
            You need no model, because a store contains its own. Exit status: 0 done; 1 refused or failed, and \
            nothing was changed; 5 other programs use the store, and nothing was changed; 64 wrong arguments.
            """,
        subcommands: [Metadata.self, Destroy.self, Replace.self])

    /// The exit status if other programs use the store.
    private static let inUse: Int32 = 5

    /// As `CommandError.explained`, with the exit status of the kind of failure.
    nonisolated(nonsending)
        static func explained<T>(_ body: () async throws -> T) async throws -> T
    {
        do {
            return try await body()
        } catch let error as StoreError where error.code == .inUse {
            let explained = CommandError.explanation(of: error) as? CommandError
            let message = explained?.errorDescription ?? error.message
            Output.tellLines("Error: \(message.replacing("endingSessions", with: "--end-sessions"))")
            throw ExitCode(inUse)
        } catch {
            throw CommandError.explanation(of: error)
        }
    }

    /// How a command connects to a store.
    static func options(schema: String) -> StoreOptions {
        var options = StoreOptions.ofCommand(schemaName: schema)
        options.pooler = (try? StoreAddress.pooler) ?? .detected
        return options
    }

    /// How long to wait for other programs, and what to do with them.
    struct Patience: ParsableArguments {
        @Option(help: "The number of seconds to wait until other programs that use the store release it.")
        var wait = 5.0

        @Flag(help: "Ends the sessions of programs that have the store open. Their next save fails.")
        var endSessions = false

        func validate() throws {
            if !(0...86_400).contains(wait) {
                throw ValidationError("--wait is out of range. Use a number of seconds from 0 to 86400.")
            }
        }

        var duration: Duration { .seconds(wait) }
    }

    /// The confirmation of what cannot be undone.
    struct Confirmation: ParsableArguments {
        @Option(
            name: .customLong("confirm"),
            help: ArgumentHelp(
                "The id of the store to remove, as howdah store metadata prints it. Without this option, no store is removed.",
                valueName: "id"))
        var word: String?

        func validate() throws {
            if let word, UUID(uuidString: word) == nil {
                throw ValidationError(
                    "--confirm is not an id. Use the id of the store, as howdah store metadata prints it.")
            }
        }

        /// Returns the id if it is that of the store.
        ///
        /// - Throws: `CommandError` that says what would be lost and how to confirm it.
        func check(_ metadata: PersistentStoreMetadata, in address: StoreAddress, _ deed: String) throws
            -> UUID
        {
            let schema = address.schema
            let identifier = metadata.storeIdentifier
            guard word.flatMap({ UUID(uuidString: $0) }) == identifier else {
                let id = identifier.uuidString.lowercased()
                throw CommandError(
                    word == nil
                        ? "This \(deed) the store \(id) in schema '\(schema)' of \(try address.place()) with all its "
                            + "rows, and needs your confirmation. Nothing was changed. Add --confirm \(id)"
                        : "--confirm names another store. The store in schema '\(schema)' is \(id). Nothing was changed. "
                            + "Check --schema and the id.",
                    code: "unconfirmed")
            }
            return identifier
        }
    }
}
