package import HowdahModel

extension StoreMigration {
    /// Returns the known models that a store passes through, its own model first.
    ///
    /// - Throws: `MigrationError` with `notInferable` if a stage on the way back cannot be reversed.
    package func models(from stored: ManagedObjectModel) throws -> [ManagedObjectModel] {
        guard let path = try directedPath(from: stored), let start = path.place(of: stored),
            let end = path.place(of: target), start < end
        else { return [stored, target] }
        return [stored]
            + (start..<end).compactMap { place in
                path.versions[place].model == nil ? nil : path.versions[place + 1].model
            }
    }

    /// Returns the names of everything that the stages from the store's model drop; none without a path.
    ///
    /// - Throws: `MigrationError` of the path.
    package func dropped(from stored: ManagedObjectModel) throws -> Set<String> {
        guard let path = try directedPath(from: stored) else { return [] }
        return Set(try path.unconfirmedLosses(from: stored, to: target, confirmedDrops: []).map(\.loss.place))
    }

    /// Returns the drops that need a confirmation and have none. Queries the store.
    ///
    /// - Throws: `MigrationError`.
    package func unconfirmedDrops() throws -> [MigrationRefusal] { try refusal()?.refusals ?? [] }

    /// The path, reversed if the target is an earlier version than the store's.
    private func directedPath(from stored: ManagedObjectModel) throws -> MigrationPath? {
        try path.map { try $0.reversed(from: stored, to: target) ?? $0 }
    }
}
