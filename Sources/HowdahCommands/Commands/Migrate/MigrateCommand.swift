import ArgumentParser
import Foundation
import HowdahMigration
import PQClient

/// `howdah migrate`: takes stores from one version of their model to another.
struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Migrates a store to a version of its model.",
        discussion: """
            The store records its model. The steps are inferred from that model and the one that you give, or are \
            those of a plan. Exit status: 0 done, or nothing to do; 1 failed, and the failed stage was rolled back; 2 the \
            store needs a migration or pending work of one (status, plan), steps are left (finish), or something \
            was found (lint, rehearse, verify, baseline, doctor); 3 the steps cannot be inferred, or no stage ends \
            at the requested version; 4 rows of the store do not fit the new model; 5 another program works on the store, or \
            its tables could not be locked in time; 64 wrong arguments; 130 and 143 cancelled by SIGINT or SIGTERM.
            """,
        subcommands: [
            Status.self, Plan.self, Apply.self, Finish.self, Rehearse.self, Lint.self, Verify.self,
            History.self,
            Doctor.self, Baseline.self, New.self, Squash.self,
        ])

    /// The store needs a migration, or something was found.
    static let needsMigration = ExitCode(2)

    /// As `CommandError.explained`, with the exit status of the kind of failure.
    static func explained<T>(_ body: () throws -> T) throws -> T {
        try CommandError.explained {
            do {
                return try body()
            } catch let error as PostgresError where error.sqlState == SQLState.lockNotAvailable {
                throw locked(error)
            } catch let error as PostgresError where error.sqlState == SQLState.insufficientPrivilege {
                throw failure(of: .missingGrant(error))
            } catch let error as MigrationError {
                if error.code == .database, let databaseError = error.databaseError,
                    databaseError.sqlState == SQLState.lockNotAvailable
                {
                    throw locked(databaseError)
                }
                throw failure(of: error)
            }
        }
    }

    /// Limits how long a command that only reads waits for another session's lock. A transaction pooler would give
    /// the session, with its limit, to other programs.
    static func limitLockWait(on connection: Connection) throws {
        guard !connection.isPooled else { return }
        try connection.executeScript("SET lock_timeout = '30s'")
    }

    private static func locked(_ error: PostgresError) -> CommandError {
        let message =
            "Another session has locked tables of the store for too long. "
            + "Find long transactions in pg_stat_activity, and retry when they have ended."
        let error = MigrationError(.lockTimeout, message, databaseError: error)
        return CommandError(
            FailureReport.Failure(error, message: message), text: message, status: error.exitStatus)
    }

    static func failure(of error: MigrationError) -> CommandError {
        CommandError(
            FailureReport.Failure(error, message: error.message), text: error.detailed,
            status: error.exitStatus)
    }

    private static func watch(
        _ connection: Connection, _ url: String, _ progress: MigrationProgress
    ) throws -> LockWatch {
        LockWatch(
            try StoreAddress.configuration(url, "howdah migrate"), session: connection.backendProcessID
        ) { event in progress.tell(event) }
    }

    /// Runs `body`, which a signal can cancel, with what tells how far it is.
    ///
    /// - Parameters:
    ///   - url: where `connection` leads to; who is in the way of it is asked on another one.
    ///   - aftermath: says on `connection` what is done and what is not, where a signal came.
    static func cancellably<T>(
        _ connection: Connection, _ url: String, quiet: Bool,
        aftermath: (() throws -> String)? = nil, _ body: @escaping (MigrationObserver?) throws -> T
    ) throws -> T {
        let progress = MigrationProgress()
        let lookout = quiet ? nil : try watch(connection, url, progress)
        defer {
            lookout?.end()
            progress.end()
        }
        let observer: MigrationObserver? = quiet ? nil : { event in progress.tell(event) }
        var outcome: T?
        let task = SupervisedTask { outcome = try body(observer) }
        let interruption = Interruption(connection.canceller) {
            progress.tellCancelling()
            task.cancel()
        }
        do {
            _ = try task.wait(until: nil)
            guard let result = outcome else { throw CancellationError() }
            // A handler can pass off a cancelled statement as something else.
            if interruption.number != nil, let report = result as? RehearsalReport, let ending = report.ending
            {
                throw CommandError(ending)
            }
            return result
        } catch {
            guard let number = interruption.number else { throw error }
            progress.end()
            connection.resetCancellation()
            let reason = number == SIGINT ? "SIGINT" : "SIGTERM"
            let rest = (try? aftermath?()) ?? Self.words(afterCancellation: error)
            throw CommandError(
                "Cancelled by \(reason). The running transaction was rolled back, and earlier ones are kept."
                    + (rest.isEmpty ? "" : " \(rest)"),
                code: "cancelled", status: 128 + number)
        }
    }
}

extension MigrateCommand {
    /// The error without what a cancelled statement is to the server.
    private static func words(afterCancellation error: any Error) -> String {
        switch error {
        case is CancellationError: ""
        case let error as PostgresError where error.code == .cancelled: ""
        case let error as MigrationError where error.databaseError?.code == .cancelled: error.message
        default: "\(error)"
        }
    }
}

extension MigrationError {
    /// With what the server said.
    fileprivate var detailed: String {
        (databaseError ?? underlyingError as? PostgresError)?.saidByServer.reduce(into: "\(self)") {
            text, field in
            text += "\n  \(field.name): \(field.text)"
        } ?? "\(self)"
    }

    /// What the process ends with, for pipelines.
    fileprivate var exitStatus: Int32 {
        switch code {
        case .notInferable, .unlistedVersion, .newerStore: 3
        case .unfitData, .unfinished: 4
        case .busy, .lockTimeout: 5
        default: 1
        }
    }
}
