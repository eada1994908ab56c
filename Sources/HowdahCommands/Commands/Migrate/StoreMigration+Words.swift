import HowdahMigration

extension StoreMigration {
    /// The option that confirms all of these drops.
    static func wordForAll(_ names: some Sequence<String>) -> String {
        "--confirm-all-drops \(DropConfirmations.token(of: names))"
    }

    /// Runs `body`, and adds the option that confirms all drops to its error.
    static func withWordForAll<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as MigrationError {
            throw withWordForAll(error)
        }
    }

    static func withWordForAll(_ error: MigrationError) -> MigrationError {
        let names = Set(error.refusals.map(\.confirmation))
        guard error.code == .notInferable, names.count > 1 else { return error }
        return MigrationError(
            error.code, error.message + "\nOr confirm all of them together:\n" + Self.wordForAll(names),
            refusals: error.refusals, databaseError: error.databaseError,
            underlyingError: error.underlyingError)
    }

    /// Returns the plan and the refusal of ``preview()``, with the option that confirms all drops.
    func previewForCommand() throws -> (plan: StagedMigrationPlan, refusal: MigrationError?) {
        try Self.withWordForAll {
            let (plan, refusal) = try preview()
            return (plan, refusal.map(Self.withWordForAll))
        }
    }

    /// Prints how many steps of an earlier migration would run first.
    func tellPending() throws {
        let count = try leftovers(before: previewForCommand().plan).count
        guard count > 0, try !isCurrent() else { return }
        Output.tell(
            "note: \(count.counted("step", "steps")) left by an earlier migration will run first. "
                + "Run howdah migrate finish to run them ahead of time.")
    }
}
