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
        var message: String
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
            take(error.databaseError ?? error.underlyingError as? PostgresError)
        case let error as StoreError:
            self.init(code: error.code.description, message: message)
            take(error.databaseError ?? error.underlyingError as? PostgresError)
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
        fields = error.fieldsWithoutValues
    }
}
