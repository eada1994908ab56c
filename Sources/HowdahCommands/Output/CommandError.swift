import Foundation
import HowdahJSON
import HowdahMigration
import HowdahModel
import HowdahModelFile
import HowdahRuntime
import LocalPostgres
import PQClient

/// Why a command did not do what it was asked; printed on standard error, or as JSON where the command prints that.
struct CommandError: LocalizedError {
    /// What the process ends with where arguments are wrong.
    static let usage: Int32 = 64

    let errorDescription: String?
    /// What programs are told; its message is without what the server said.
    let failure: FailureReport.Failure
    /// What the process ends with, where the command has more than one status for failures.
    var status: Int32 = 1

    /// - Parameter text: what people are told, where it is more than the message.
    init(_ failure: FailureReport.Failure, text: String? = nil, status: Int32 = 1) {
        self.failure = failure
        self.status = status
        errorDescription = (text ?? failure.message).printableLines
    }

    init(_ message: String, code: String = "failed", status: Int32 = 1) {
        self.init(FailureReport.Failure(code: code, message: message), status: status)
    }

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

    /// Runs `body`, which reads what arguments or a plan name. If a file or version does not exist, they are wrong.
    static func asArgument<T>(_ body: () throws -> T) throws -> T {
        do {
            return try explained(body)
        } catch var error as CommandError {
            let codes = [ModelFileError.Code.unreadable, .unknownVersion].map(\.description)
            if codes.contains(error.failure.code) { error.status = usage }
            throw error
        }
    }

    /// Runs `body`, which writes to `path`.
    static func writing(_ path: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
                throw CommandError("Cannot write \(path), because it is a folder. Give the path of a file.")
            }
            throw CommandError(
                "Cannot write \(path). Check that the folder exists, that you may write to it, and that the disk has space."
            )
        }
    }

    /// A line for each thing that is wrong, whatever the model's names have in them.
    private static func text(of error: ModelFileError) -> String {
        let list = error.defects.map(\.description) + error.issues.map(\.description)
        if list.isEmpty || list.count == error.defects.count && list.count == 1 {
            return error.description.printable
        }
        let heading =
            (error.path ?? "The file").printable + ": " + list.count.counted("error", "errors") + ":"
        return ([heading] + list.map { "- " + $0.printable }).joined(separator: "\n")
    }

    /// Tells something on standard error, where it is in nobody's way.
    static func note(_ message: String) {
        try? FileHandle.standardError.write(contentsOf: Data((message + "\n").utf8))
    }

    static func explanation(of error: any Error) -> any Error {
        let text: String
        switch error {
        case let error as LocalPostgresError: text = error.message
        case let error as ModelFileError: text = self.text(of: error)
        case let error as ModelError: text = error.message
        case let error as PullError: text = error.description
        case let error as PostgresError where error.code == .connectionFailed:
            text =
                "The database cannot be reached. Check the address and that the server runs. Cause: "
                + error.message
        case let error as PostgresError where error.sqlState == SQLState.readOnlyTransaction:
            text =
                "The database session can only read. Use the address of the primary server, and a role that may write. Cause: "
                + error.message
        case let error as PostgresError:
            text = error.saidByServer.reduce(
                into: "The database reported an error. Correct the cause that it names, and "
                    + "run the command again. Cause: \(error)"
            ) {
                text, field in
                text += "\n  \(field.name): \(field.text)"
            }
        case let error as MigrationError: text = "\(error)"
        case let error as StoreError: text = "\(error)".asSentence
        case let error as SaveError: text = "\(error)".asSentence
        case let error as FetchError: text = "\(error)".asSentence
        case let error as GraphError: text = "\(error)".asSentence
        case let error as PredicateTreeError: text = "\(error)".asSentence
        default: return error
        }
        return CommandError(FailureReport.Failure(error, message: text), text: text)
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
