import Foundation
import HowdahModel
import HowdahModelFile
import LocalPostgres
import PQClient

/// Why a command did not do what it was asked; printed on standard error.
struct CommandError: LocalizedError {
    let errorDescription: String?

    init(_ message: String) { errorDescription = message }

    /// Runs `body` and turns errors of the libraries into their messages.
    static func explained<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as LocalPostgresError {
            throw CommandError(error.message)
        } catch let error as ModelFileError {
            throw CommandError(error.description)
        } catch let error as PostgresError {
            throw CommandError("The database refused: \(error)")
        } catch let error as ModelError {
            throw CommandError(error.message)
        }
    }

    /// Runs `body`, which writes to `path`.
    static func writing(_ path: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            throw CommandError("Cannot write \(path): check that its folder exists and may be written to.")
        }
    }
}
