internal import HowdahModel
internal import PQClient

extension StageTransaction {
    /// As any program has it.
    private static let handlerSettings = """
        SET LOCAL search_path TO DEFAULT;
        SET LOCAL howdah.save = 'off'
        """

    /// Nothing that a handler left may stand in the way of DDL: checks to be made, open cursors.
    private static let boundary = """
        SET CONSTRAINTS ALL IMMEDIATE;
        CLOSE ALL
        """

    /// What a handler did to the transaction that is not its own.
    private struct Misuse: Error, CustomStringConvertible {
        let description: String

        static let ended = Misuse(
            description: "it ended the stage's transaction; leave COMMIT and ROLLBACK to the migration. "
                + "What it committed stays, and nothing of the stage does")
        static let failed = Misuse(
            description: "one of its statements failed and it went on; throw the error, or do the work in a "
                + "save")
    }

    /// Runs what a program does in the stage.
    ///
    /// - Throws: `MigrationError` with `handlerFailed`; `PostgresError` of a lock.
    func run(_ handler: StageHandlers.Handler?, _ name: String, with model: ManagedObjectModel) throws {
        guard let handler else { return }
        observer?(.handlerBegan(name))
        try connection.executeScript(Self.handlerSettings)
        let transaction = try transactionNumber()
        do {
            try handler(connection, model)
            switch connection.transactionStatus {
            case .idle: throw Misuse.ended
            case .failed: throw Misuse.failed
            case .inTransaction, .unknown: break
            }
            guard try transactionNumber() == transaction else { throw Misuse.ended }
            try connection.executeScript(Self.boundary)
            try settings?.restore(on: connection)
            try connection.executeScript("\(MigrationPlan.stepSettings);\n\(Self.waiting(lockTimeout))")
            // Prepared for tables that are about to change, or have changed.
            try execute("DEALLOCATE ALL")
        } catch let error as PostgresError where error.isOfLocks {
            throw error
        } catch let error as MigrationError where error.code == .mappingFailed || error.code == .unfitData {
            throw MigrationError(
                error.code, "\(error.message). \(aftermath).", underlying: error.underlying,
                cause: error.cause)
        } catch {
            throw MigrationError(
                .handlerFailed, "The \(name) handler failed: \(error). \(aftermath).", cause: error)
        }
    }

    /// A handler could have ended the transaction and begun another one. Reading the record for update has given the
    /// stage's a number.
    private func transactionNumber() throws -> String {
        try connection.query("SELECT pg_catalog.txid_current()::pg_catalog.text", cached: false)
            .map { $0[0].string() }.first ?? ""
    }
}
