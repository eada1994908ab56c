import Foundation
import HowdahMigration
import HowdahModel
import HowdahModelFile
import HowdahRuntime
import LocalPostgres
import PQClient

/// Why a command did not do what it was asked; printed on standard error.
struct CommandError: LocalizedError {
    let errorDescription: String?

    init(_ message: String) { errorDescription = message.printableLines }

    /// Runs `body` and turns errors of the libraries into their messages.
    static func explained<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch {
            throw explanation(of: error)
        }
    }

    /// Runs `body` and turns errors of the libraries into their messages.
    nonisolated(nonsending)
        static func explained<T>(_ body: () async throws -> T) async throws -> T
    {
        do {
            return try await body()
        } catch {
            throw explanation(of: error)
        }
    }

    /// Runs `body`, which writes to `path`.
    static func writing(_ path: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
                throw CommandError("Cannot write \(path): it is a folder; give the path of a file.")
            }
            throw CommandError(
                "Cannot write \(path): check that its folder exists and may be written to, and that there is space."
            )
        }
    }

    /// A line for each thing that is wrong, whatever the model's names have in them.
    private static func text(of error: ModelFileError) -> String {
        let list = error.faults.map(\.description) + error.issues.map(\.description)
        if list.isEmpty || list.count == error.faults.count && list.count == 1 {
            return error.description.printable
        }
        let heading =
            (error.path ?? "The file").printable + ": " + list.count.counted("fault", "faults") + ":"
        return ([heading] + list.map { "- " + $0.printable }).joined(separator: "\n")
    }

    /// Tells something on standard error, where it is in nobody's way.
    static func note(_ message: String) {
        try? FileHandle.standardError.write(contentsOf: Data((message + "\n").utf8))
    }

    private static func explanation(of error: any Error) -> any Error {
        switch error {
        case let error as LocalPostgresError: CommandError(error.message)
        case let error as ModelFileError: CommandError(text(of: error))
        case let error as ModelError: CommandError(error.message)
        case let error as PullError: CommandError(error.description)
        case let error as PostgresError: CommandError("The database refused: \(error)")
        case let error as MigrationError: CommandError("\(error)")
        case let error as StoreError: CommandError("\(error)".asSentence)
        case let error as SaveError: CommandError("\(error)".asSentence)
        case let error as FetchError: CommandError("\(error)".asSentence)
        case let error as GraphError: CommandError("\(error)".asSentence)
        case let error as PredicateTreeError: CommandError("\(error)".asSentence)
        default: error
        }
    }
}

extension String {
    /// With a capital and on one line, whatever the server's messages have in them.
    fileprivate var asSentence: String {
        let line = split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            .joined(separator: " ")
        return line.prefix(1).uppercased() + line.dropFirst()
    }
}
