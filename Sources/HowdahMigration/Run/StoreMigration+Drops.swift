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

    /// Compares the confirmed drops of the options with the versions that the store passes through; nil if there is no
    /// store.
    ///
    /// - Throws: `MigrationError` of the path.
    package func confirmations() throws -> DropConfirmations? {
        guard let stored = try recordedModel() else { return nil }
        return DropConfirmations(
            options.confirmedDrops, along: try models(from: stored), and: try dropped(from: stored),
            isDone: target.hasChecksum(stored.versionChecksum))
    }

    /// The effect of a token on the confirmed drops.
    package enum TokenEffect: Equatable, Sendable {
        /// The store has the target already, or does not exist.
        case noMigration
        /// No drop was without a confirmation.
        case nothingOpen
        /// These drops are confirmed.
        case confirmed(Set<String>)
        /// The token is of another list than that of these drops, which are not confirmed.
        case otherDrops(Set<String>)
    }

    /// Confirms all drops that have no confirmation yet, if the token is that of their list.
    ///
    /// Queries the store. ``DropConfirmations/token(of:)`` returns the token.
    ///
    /// - Throws: `MigrationError`.
    package mutating func confirmDrops(token: String) throws -> TokenEffect {
        guard try record() != nil, try !isCurrent() else { return .noMigration }
        let open = Set(try unconfirmedDrops().map(\.confirmation))
        if open.isEmpty { return .nothingOpen }
        guard DropConfirmations.token(of: open) == token else { return .otherDrops(open) }
        options.confirmedDrops.formUnion(open)
        return .confirmed(open)
    }

    /// The path, reversed if the target is an earlier version than the store's.
    private func directedPath(from stored: ManagedObjectModel) throws -> MigrationPath? {
        try path.map { try $0.reversed(from: stored, to: target) ?? $0 }
    }
}
