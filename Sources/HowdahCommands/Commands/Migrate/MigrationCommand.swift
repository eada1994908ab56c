import ArgumentParser
import HowdahMigration

/// A command of `migrate`: its failures are JSON where its results are, and have the exit status of their kind.
protocol MigrationCommand: ParsableCommand {
    var json: Bool { get }

    /// Does what the command is for.
    func perform() throws
}

extension MigrationCommand {
    func run() throws {
        do {
            try perform()
        } catch {
            throw try MigrateCommand.told(error, json: json)
        }
    }
}

/// The same, of those that wait.
protocol AsyncMigrationCommand: AsyncParsableCommand {
    var json: Bool { get }

    /// Does what the command is for.
    func perform() async throws
}

extension AsyncMigrationCommand {
    func run() async throws {
        do {
            try await perform()
        } catch {
            throw try MigrateCommand.told(error, json: json)
        }
    }
}

extension MigrateCommand {
    /// Tells why a command failed, and gives what ends the process.
    fileprivate static func told(_ error: any Error, json: Bool) throws -> any Error {
        if error is ExitCode { return error }
        let explained =
            (error as? MigrationError).map(failure) ?? CommandError.explanation(of: error)
        let report: FailureReport
        switch explained {
        case let error as CommandError:
            report = FailureReport(error: error.failure, status: error.status)
        case let error as ValidationError:
            report = FailureReport(
                error: FailureReport.Failure(code: "usage", message: error.message),
                status: CommandError.usage)
        case let error:
            report = FailureReport(
                error: FailureReport.Failure(code: "failed", message: MigrateCommand.message(for: error)),
                status: 1)
        }
        if json {
            try Output.write(json: report)
        } else {
            let text = (explained as? CommandError)?.errorDescription ?? report.error.message
            Output.tellLines("Error: \(text)")
        }
        return ExitCode(report.status)
    }
}
