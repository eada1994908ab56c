import HowdahMigration
import HowdahModel

/// What a way drops that has to be confirmed.
extension MigrationRoute {
    /// The versions that a store passes through, that of the store first, as far as their models are known.
    func models(from stored: ManagedObjectModel) throws -> [ManagedObjectModel] {
        [stored] + (try hops(from: stored)).map(\.to)
    }

    /// What has to be confirmed, and was not.
    func unconfirmed(from stored: ManagedObjectModel) throws -> Set<String> {
        let refused = try hops(from: stored).flatMap { hop in
            let confirmed = options.confirmedDrops.union(hop.confirmed)
            if let mapping = hop.mapping { return try leftBehind(mapping, hop.from, hop.to, confirmed) }
            return ModelDifference(from: hop.from, to: hop.to, confirmedDrops: confirmed).refusals.map(
                \.confirmation)
        }
        guard try isOlder(than: stored) else { return Set(refused) }
        return Set(refused).union(
            ModelDifference.losses(from: stored, to: target, confirmedDrops: options.confirmedDrops))
    }

    /// The entities that a mapping leaves without a word.
    private func leftBehind(
        _ mapping: StageMapping, _ from: ManagedObjectModel, _ to: ManagedObjectModel,
        _ confirmed: Set<String>
    ) throws -> [String] {
        do throws(MigrationError) {
            _ = try mapping(from, to, schemaName, confirmed)
            return []
        } catch {
            guard error.code == .notInferable, !error.refusals.isEmpty else { throw error }
            return error.refusals.map(\.confirmation)
        }
    }

    private typealias Step = (
        from: ManagedObjectModel, to: ManagedObjectModel, confirmed: Set<String>, mapping: StageMapping?
    )

    /// One inference, or those of the stages.
    private func hops(from stored: ManagedObjectModel) throws -> [Step] {
        let direct: [Step] = [(from: stored, to: target, confirmed: [], mapping: nil)]
        guard let path = try path.map({ try $0.reversed(from: stored, to: target) ?? $0 }),
            let start = path.versions.firstIndex(where: { $0.checksum == stored.versionChecksum }),
            let end = path.versions.firstIndex(where: { $0.checksum == target.versionChecksum }), start < end
        else { return direct }
        return (start..<end).compactMap { place in
            guard let from = path.versions[place].model, let to = path.versions[place + 1].model else {
                return nil
            }
            return (from, to, path.hops[place].confirmedDrops, path.hops[place].mapping)
        }
    }

    /// The option that confirms all of these.
    static func wordForAll(_ names: some Sequence<String>) -> String {
        "--confirm-all-drops \(DropConfirmations.token(of: names))"
    }

    /// Runs `body`, whose refusal is told with what confirms all that it names.
    func withWordForAll<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as MigrationError where error.code == .notInferable && !error.refusals.isEmpty {
            guard let stored = try storedModel() else { throw error }
            let names = try unconfirmed(from: stored)
            guard names.count > 1 else { throw error }
            throw MigrationError(
                error.code,
                error.message + "\nWhere all of these values may go: " + Self.wordForAll(names)
                    + " (\(names.sorted().joined(separator: ", "))).",
                refusals: error.refusals, underlying: error.underlying, cause: error.cause)
        }
    }
}
