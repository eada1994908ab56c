import HowdahMigration
import HowdahModel

/// The drops of a route that need a confirmation.
extension MigrationRoute {
    /// The known models that a store passes through, that of the store first.
    func models(from stored: ManagedObjectModel) throws -> [ManagedObjectModel] {
        [stored] + (try hops(from: stored)).map(\.to)
    }

    /// The drops that need a confirmation and have none. Queries the store.
    func unconfirmed() throws -> [MigrationRefusal] {
        try refusal()?.refusals ?? []
    }

    /// The names of everything that the stages from the store's model drop.
    func dropped(from stored: ManagedObjectModel) throws -> Set<String> {
        guard let path = try path.map({ try $0.reversed(from: stored, to: target) ?? $0 }) else { return [] }
        return Set(try path.unconfirmedLosses(from: stored, to: target, confirmedDrops: []).map(\.loss.place))
    }

    /// The error that applying would end with until drops are confirmed; nil if none is missing.
    func refusal() throws -> MigrationError? {
        guard try record() != nil else { return nil }
        return try migration()?.refusal().map(withWordForAll)
    }

    private typealias Step = (from: ManagedObjectModel, to: ManagedObjectModel)

    /// One inference, or those of the stages.
    private func hops(from stored: ManagedObjectModel) throws -> [Step] {
        let direct: [Step] = [(from: stored, to: target)]
        guard let path = try path.map({ try $0.reversed(from: stored, to: target) ?? $0 }),
            let start = path.place(of: stored), let end = path.place(of: target), start < end
        else { return direct }
        return (start..<end).compactMap { place in
            guard let from = path.versions[place].model, let to = path.versions[place + 1].model else {
                return nil
            }
            return (from, to)
        }
    }

    /// The option that confirms all of these.
    static func wordForAll(_ names: some Sequence<String>) -> String {
        "--confirm-all-drops \(DropConfirmations.token(of: names))"
    }

    /// Runs `body`, and adds the option that confirms all names to its refusal.
    func withWordForAll<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as MigrationError {
            throw withWordForAll(error)
        }
    }

    func withWordForAll(_ error: MigrationError) -> MigrationError {
        let names = Set(error.refusals.map(\.confirmation))
        guard error.code == .notInferable, names.count > 1 else { return error }
        return MigrationError(
            error.code, error.message + "\nOr confirm all of them together:\n" + Self.wordForAll(names),
            refusals: error.refusals, underlying: error.underlying, cause: error.cause)
    }
}
