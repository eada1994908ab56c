import Foundation
import HowdahMigration
import HowdahModelFile
import HowdahRuntime
import PQClient

/// Why a command failed, as the JSON that it prints instead of its result.
struct FailureReport: Encodable {
    /// What went wrong, for programs.
    struct Failure: Encodable {
        /// A name that does not change.
        let code: String
        /// What went wrong and what to do.
        let message: String
        /// What the server called it.
        var sqlstate: String?
        /// What else is known, such as what the server said.
        var fields: [String: String]?
        /// What stands in the way of inference, each with the name that confirms it.
        var refusals: [MigrationRefusal]?
    }

    let error: Failure
    /// What the process ends with.
    let status: Int32
}

extension FailureReport.Failure {
    init(code: String, message: String) {
        self.code = code
        self.message = message
    }

    /// What a library threw.
    ///
    /// - Parameter message: what is said of it to people.
    init(_ error: any Error, message: String) {
        switch error {
        case let error as MigrationError:
            self.init(code: error.code.description, message: error.message)
            refusals = error.refusals.isEmpty ? nil : error.refusals
            take(error.underlying ?? error.cause as? PostgresError)
        case let error as StoreError:
            self.init(code: error.code.description, message: message)
            take(error.underlying ?? error.cause as? PostgresError)
        case let error as PostgresError:
            self.init(code: error.code.description, message: message)
            take(error)
        case let error as ModelFileError:
            self.init(code: error.code.description, message: message)
            let places = [("path", error.path), ("line", error.line.map(String.init))]
            let found = places.compactMap { name, value in value.map { (name, $0) } }
            fields = found.isEmpty ? nil : Dictionary(found, uniquingKeysWith: { first, _ in first })
        default: self.init(code: "failed", message: message)
        }
    }

    private mutating func take(_ error: PostgresError?) {
        guard let error else { return }
        sqlstate = error.sqlState
        let said = error.saidByServer.filter { $0.name != "the server" }.map { ($0.name, $0.text) }
        fields = Dictionary(
            [("server", error.messageWithoutValue)] + said, uniquingKeysWith: { first, _ in first })
    }
}

extension PostgresError {
    /// The server's message and its fields, without values of rows. The detail of a violated constraint has nothing else.
    var saidByServer: [(name: String, text: String)] {
        let isOfValues = sqlState?.hasPrefix("23") == true
        return [
            ("the server", messageWithoutValue), ("detail", isOfValues ? nil : detail), ("hint", hint),
            ("at character", position.map(String.init)), ("in", context.map(Self.withoutValue)),
        ].compactMap { name, text in text.flatMap { $0.isEmpty ? nil : (name, $0) } }
    }

    /// The message, without the value that a conversion did not take.
    fileprivate var messageWithoutValue: String {
        sqlState?.hasPrefix("22") == true ? Self.withoutValue(message) : message
    }

    /// Cuts a quoted value off the end of a text, as in `invalid input syntax for type integer: "a"`, or in the line of a COPY.
    private static func withoutValue(_ text: String) -> String {
        guard let start = text.range(of: ": \"") else { return text }
        return String(text[..<start.lowerBound])
    }
}
