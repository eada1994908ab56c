internal import HowdahModel
internal import HowdahSchema
internal import PQClient

extension StageTransaction {
    /// As any program has it, except that neither a guard nor the tracking of other programs looks at the handler: the row
    /// of the stage says that anything may have changed.
    private static let handlerSettings = """
        SET LOCAL search_path TO DEFAULT;
        SET LOCAL howdah.save = 'off';
        SET LOCAL howdah.history = 'on'
        """

    /// Nothing that a handler left may stand in the way of DDL: checks to be made, open cursors.
    private static let boundary = """
        SET CONSTRAINTS ALL IMMEDIATE;
        CLOSE ALL
        """

    /// What a handler did to the transaction that is not its own.
    private struct Misuse: Error, CustomStringConvertible {
        /// As sentences without the last end.
        let fault: String
        /// As a sentence without its end.
        let remedy: String

        var description: String { "\(fault). \(remedy)." }

        static let ended = Misuse(
            fault:
                "it ended the stage's transaction with COMMIT or ROLLBACK. Work that it committed is kept, and the rest of the stage is rolled back",
            remedy: "Remove COMMIT and ROLLBACK from the handler, and try again")
        static let failed = Misuse(
            fault: "it continued after one of its statements failed",
            remedy: "Throw the error, or do the work in a save")
    }

    /// Runs the passes of a mapping, which are steps of the plan.
    ///
    /// - Throws: The errors of a handler.
    func runPasses() throws {
        guard let mapping = handlers.mapping else { return }
        let passes = plan.steps.enumerated().filter { $0.element.pass != nil }
        try run(
            { [self] connection, _ in
                try mapping(connection) { pass, body in
                    guard let (place, step) = passes.first(where: { $0.element.pass == pass }) else {
                        _ = try body()
                        return
                    }
                    observer?(.stepBegan(number: place + 1, count: plan.steps.count, step))
                    try conduct.run(pass: step, place + 1, of: self, body)
                }
            }, "mapping", with: target)
    }

    /// Runs what a program does in the stage.
    ///
    /// - Throws: `MigrationError` with `handlerFailed`; `PostgresError` of a lock.
    func run(
        _ handler: ((Connection, ManagedObjectModel) throws -> Void)?, _ name: String,
        with model: @autoclosure () throws -> ManagedObjectModel
    ) throws {
        guard let handler else { return }
        try conduct.run(handler: name, of: self) { try perform(handler, name, with: model()) }
    }

    private func perform(
        _ handler: (Connection, ManagedObjectModel) throws -> Void, _ name: String,
        with model: ManagedObjectModel
    ) throws {
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
                error.code, "\(Self.sentence(error.message)) \(aftermath).",
                databaseError: error.databaseError,
                underlyingError: error.underlyingError)
        } catch let misuse as Misuse {
            throw MigrationError(
                .handlerFailed,
                "The \(name) handler failed: \(misuse.fault). \(aftermath). \(misuse.remedy).",
                underlyingError: misuse)
        } catch {
            let isInterrupted = !connection.isUsable && !(error is CancellationError)
            throw MigrationError(
                .handlerFailed,
                isInterrupted
                    ? "The \(name) handler was interrupted, because the database session ended. \(aftermath). Try again."
                    : "The \(name) handler failed: \(Self.sentence("\(error)")) \(aftermath). Correct the cause, and try "
                        + "again.",
                underlyingError: error)
        }
    }

    /// The text with one full stop at its end: another sentence follows.
    private static func sentence(_ text: String) -> String { text.hasSuffix(".") ? text : "\(text)." }

    /// A handler could have ended the transaction and begun another one. Reading the record for update has given the
    /// stage's a number.
    private func transactionNumber() throws -> String {
        try connection.query("SELECT pg_catalog.txid_current()::pg_catalog.text", cached: false)
            .map { $0[0].string() }.first ?? ""
    }
}
