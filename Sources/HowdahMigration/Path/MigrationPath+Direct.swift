package import HowdahModel

extension MigrationPath {
    /// From one model to another by inference, as a single stage that no program lists.
    ///
    /// - Throws: `MigrationError`.
    package init(
        from stored: ManagedObjectModel, to target: ManagedObjectModel, label: String = "inferred"
    ) throws(MigrationError) {
        let version = { (model: ManagedObjectModel) in
            Version(
                name: model.versionIdentifier ?? String(model.versionChecksum.prefix(12)),
                checksum: model.versionChecksum, model: model)
        }
        try self.init(
            [ListedStage(.lightweight, [version(stored), version(target)], label: label)], isListed: false)
    }

    /// The way back from a later version to an earlier one of the list; nil where that is no way back.
    ///
    /// - Throws: `MigrationError` with `notInferable` where a stage with handlers or a mapping lies between: what they did cannot be
    ///   undone by inference.
    package func reversed(
        from stored: ManagedObjectModel, to target: ManagedObjectModel
    ) throws(MigrationError) -> MigrationPath? {
        guard let start = place(of: stored), let end = place(of: target), end < start
        else { return nil }
        if let stage = stages[end..<start].first(where: { $0.kind != .lightweight }) {
            let reason =
                stage.kind == .mapped
                ? "it has a mapping"
                : stage.handlers.areThere
                    ? "it has handlers"
                    : stage.confirmedDrops.isEmpty ? "it is a custom stage" : "it drops values"
            throw MigrationError(
                .notInferable,
                "The stage \(stage.label) cannot be reversed, because \(reason). Restore a backup from before the stage. "
                    + "Or add a new model version with the old structure, and migrate to the new version.")
        }
        return try MigrationPath([
            ListedStage(.lightweight, versions[end...start].reversed(), label: nil)
        ])
    }
}
