public import Foundation
internal import HowdahSchema
public import PQClient

/// An error of a migration, with the remedy.
///
/// The store is unchanged or, if there are several stages, has the version before the one that failed.
public struct MigrationError: Error, Sendable {
    /// The kind of failure, for code that reacts to it.
    public let code: Code
    /// The failure and the remedy, for people.
    public let message: String
    /// The error of the server, if there was one.
    public let databaseError: PostgresError?
    /// The error that a handler of a stage threw, if that is the reason.
    public let underlyingError: (any Error)?
    /// The changes that cannot be inferred, if that is the reason.
    package let refusals: [MigrationRefusal]

    package init(
        _ code: Code, _ message: String, refusals: [MigrationRefusal] = [],
        databaseError: PostgresError? = nil,
        underlyingError: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.refusals = refusals
        self.databaseError = databaseError
        self.underlyingError = underlyingError
    }

    /// A kind of failure; more may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// The steps cannot be inferred from the two models, or values would be dropped without confirmation.
        public static let notInferable = Code(description: "notInferable")
        /// Rows of the store cannot be rows of the new model.
        public static let unfitData = Code(description: "unfitData")
        /// Another program is migrating the store.
        public static let busy = Code(description: "busy")
        /// The tables could not be locked within the given time.
        public static let lockTimeout = Code(description: "lockTimeout")
        /// The store does not exist, or this library cannot migrate it.
        public static let notAStore = Code(description: "notAStore")
        /// Row security hides rows of the store from the role that migrates.
        public static let rowSecurity = Code(description: "rowSecurity")
        /// The role that migrates has no permission to change the store.
        public static let missingGrant = Code(description: "missingGrant")
        /// A model cannot be stored in tables.
        public static let invalidModel = Code(description: "invalidModel")
        /// Stages contradict each other; see the message.
        public static let invalidStages = Code(description: "invalidStages")
        /// The store, or the model that it is opened with, has a version that no stage lists.
        public static let unlistedVersion = Code(description: "unlistedVersion")
        /// The store has a later version than the model that it is opened with.
        public static let newerStore = Code(description: "newerStore")
        /// A stage needs a model of which you gave only the checksum.
        public static let missingModel = Code(description: "missingModel")
        /// A model does not have the checksum that a stage names.
        public static let checksumMismatch = Code(description: "checksumMismatch")
        /// A handler of a stage threw; see ``MigrationError/underlyingError``.
        public static let handlerFailed = Code(description: "handlerFailed")
        /// A mapping model does not map one version to the next, or names a part that the program does not
        /// have.
        public static let invalidMapping = Code(description: "invalidMapping")
        /// A mapping found a value that it cannot map, or a migration policy threw; see
        /// ``MigrationError/underlyingError``.
        public static let mappingFailed = Code(description: "mappingFailed")
        /// The store has the new model, but some of the deferred steps failed; the rest is done.
        ///
        /// Its rows, or objects of other programs on its tables, prevent these steps. They are still pending.
        public static let unfinished = Code(description: "unfinished")
        /// A pooler in front of the server gives each transaction another session.
        public static let pooled = Code(description: "pooled")
        /// The store has no history.
        public static let noHistory = Code(description: "noHistory")
        /// Tables or parts of the history are missing.
        public static let incompleteHistory = Code(description: "incompleteHistory")
        /// The history was not started yet.
        public static let historyNotStarted = Code(description: "historyNotStarted")
        /// The history was written in another cluster or database.
        public static let otherHistory = Code(description: "otherHistory")
        /// A consumer has not read the history.
        public static let heldByConsumer = Code(description: "heldByConsumer")
        /// The history has no consumer of that name.
        public static let unknownConsumer = Code(description: "unknownConsumer")
        /// The store's model has no entity of that name.
        public static let unknownEntity = Code(description: "unknownEntity")
        /// The server refused a step or the connection failed; see ``MigrationError/databaseError``.
        public static let database = Code(description: "database")
    }
}

extension MigrationError {
    package static func wouldGoBack(in schemaName: String) -> MigrationError {
        MigrationError(
            .newerStore,
            "The store in schema '\(schemaName)' had this model before and was then migrated to another one. Use the program that "
                + "migrated the store, or accept compatible stores (StoreOptions.accepting). To migrate to this model, run "
                + "howdah migrate apply, with --back or --version if this model is older than the store's."
        )
    }

    /// The error of a server that only replays the changes of another one.
    static var onStandby: MigrationError {
        MigrationError(
            .database,
            "The server is a standby, which cannot be changed. Nothing was changed. Use the address of the primary server."
        )
    }

    static var behindPooler: MigrationError {
        MigrationError(
            .pooled,
            "The connection goes through a pooler, but a migration needs one session from start to end. "
                + "Use the address of the server itself. If the pooler keeps one session for each client, set "
                + "HOWDAH_POOLER=session for the command, or StoreOptions.pooler to .session.")
    }
}

extension MigrationError: CustomStringConvertible {
    /// The message; safe to show, except for the server's own.
    public var description: String {
        databaseError.map { message.hasSuffix(".") ? "\(message) \($0)" : "\(message): \($0)" } ?? message
    }
}

extension MigrationError {
    /// Creates an error that names all obstacles to inference and all drops to confirm.
    package init(refusals: [MigrationRefusal]) {
        let lines = refusals.map { "- " + $0.message }
        self.init(
            .notInferable,
            ([Self.heading(of: refusals)] + lines + [Self.words(for: refusals)]).joined(separator: "\n"),
            refusals: refusals)
    }

    static func heading(of refusals: [MigrationRefusal]) -> String {
        refusals.allSatisfy(\.isLoss)
            ? "The migration would drop values without confirmation:" : "The migration cannot be inferred:"
    }

    /// Returns the exact words that confirm all of these.
    static func words(for refusals: [MigrationRefusal]) -> String {
        let names = Set(refusals.map(\.confirmation)).sorted()
        let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
        return
            "If these values may be dropped, confirm each by name. Set confirmedDrops = [\(list)] in code, or add to the command:\n"
            + names.map { "--confirm-drop \($0)" }.joined(separator: " ")
    }
}

extension MigrationError {
    /// The error of a role that the server does not let use the store.
    package static func missingGrant(_ error: PostgresError) -> MigrationError {
        MigrationError(
            .missingGrant,
            "The role of the connection has no permission for the store. To see the owner, run howdah migrate doctor. "
                + "Migrate as the owner, or make the role a member of the owner: GRANT <owner> TO <role>.",
            databaseError: error)
    }

    /// Runs `body`, which reads a store's record, and leaves errors of locks and connections as they are.
    static func ofRecord<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as StoreRecordError {
            throw MigrationError(.notAStore, error.message)
        } catch let error as PostgresError where error.sqlState == SQLState.insufficientPrivilege {
            throw missingGrant(error)
        }
    }

    /// Runs `body` and turns errors of the database into errors of the migration.
    static func wrapping<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as PostgresError where error.sqlState == SQLState.insufficientPrivilege {
            throw missingGrant(error)
        } catch let error as StoreRecordError {
            throw MigrationError(.notAStore, error.message)
        } catch var error as PostgresError {
            // Stages and pending steps have messages of their own. What is left only reads.
            error.mayHaveCommitted = false
            throw MigrationError(
                .database,
                error.isOfSession
                    ? "The database session ended. Run the command again, or open the store again."
                    : "The database operation failed. \(PostgresError.remedy)",
                databaseError: error)
        }
    }
}

extension MigrationError: LocalizedError {
    /// The same text as ``description``.
    public var errorDescription: String? { description }
}
