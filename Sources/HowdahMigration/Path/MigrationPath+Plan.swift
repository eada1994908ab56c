package import HowdahModel

extension MigrationPath {
    /// A stage that a store needs: what leads to it, between which models, and the steps.
    struct PlannedStage: Sendable {
        let stage: Stage
        let source: Version
        let destination: Version
        let sourceModel: ManagedObjectModel
        let destinationModel: ManagedObjectModel
        var plan: MigrationPlan
        /// What it drops, and the store did not hold when it was asked.
        let empty: [ModelLoss]
        /// False for the stage of one inference.
        let isListed: Bool

        /// The state of the store if the stage fails, as a sentence without its end.
        var aftermath: String {
            isListed ? "The store has the version \(source.name)" : "The store is unchanged"
        }
    }

    /// The stages that a store needs, and what is to be confirmed before they may run.
    struct PlannedStages: Sendable {
        var all: [PlannedStage] = []
        var refusals: [MigrationRefusal] = []
        fileprivate var complaints: [String] = []

        /// The error that names everything that is to be confirmed; nil if nothing is.
        var refusal: MigrationError? {
            if refusals.isEmpty { return nil }
            return MigrationError(
                .notInferable,
                (complaints + [MigrationError.words(for: refusals)]).joined(separator: "\n"),
                refusals: refusals)
        }

        /// - Throws: ``refusal``.
        func check() throws(MigrationError) {
            if let refusal { throw refusal }
        }
    }

    /// The stages that a store of the model `stored` needs to get to `target`; none where it has that model.
    ///
    /// - Throws: `MigrationError`: ``MigrationError/Code/unlistedVersion``, `newerStore`, `missingModel`, or of a stage's
    ///   inference.
    package func plan(
        from stored: ManagedObjectModel, to target: ManagedObjectModel, schemaName: String = "public",
        confirmedDrops: Set<String> = [], shouldDefer: Bool = false
    ) throws(MigrationError) -> StagedMigrationPlan {
        let planned = try plannedStages(
            from: stored, to: target, schemaName: schemaName, confirmedDrops: confirmedDrops,
            shouldDefer: shouldDefer)
        try planned.check()
        return StagedMigrationPlan(planned.all)
    }

    /// What the stages drop that is not confirmed, and that a store of the model `stored` may hold.
    ///
    /// - Throws: `MigrationError`, as ``plan(from:to:schemaName:confirmedDrops:shouldDefer:)`` does.
    package func unconfirmedLosses(
        from stored: ManagedObjectModel, to target: ManagedObjectModel, confirmedDrops: Set<String> = []
    ) throws(MigrationError) -> [(stage: String, loss: ModelLoss)] {
        let (path, places) = try places(from: stored, to: target)
        var result: [(stage: String, loss: ModelLoss)] = []
        for place in places {
            let stage = path.stages[place]
            let (from, to) = (try path.versions[place].needed(), try path.versions[place + 1].needed())
            let losses =
                try stage.mapping.map { mapping throws(MigrationError) in
                    try mapping(from, to, "public").losses
                } ?? ModelLoss.all(from: from, to: to)
            let confirmed = confirmedDrops.union(stage.confirmedDrops)
            result += losses.filter { !$0.isConfirmed(by: confirmed) }.map { (stage.label, $0) }
        }
        return result
    }

    /// The stages that take a store of the model `stored` to `target`, in order; none if it has that model.
    ///
    /// Everything is inferred before the first of them runs, so that what the last one lacks is known then. Only the last
    /// can leave work for later, and handlers rely on everything. A stage that cannot be inferred is missing, and in the
    /// refusals.
    ///
    /// - Parameters:
    ///   - check: Returns the stored values that a stage drops; nil without a store.
    ///   - added: what a migration of the store has added, and is dropped only by name, also if it is empty.
    /// - Throws: `MigrationError` with `unlistedVersion`, `newerStore`, `missingModel`, `invalidModel`, `invalidMapping`.
    func plannedStages(
        from stored: ManagedObjectModel, to target: ManagedObjectModel, schemaName: String,
        confirmedDrops: Set<String>, shouldDefer: Bool = false, asking check: DropCheck? = nil,
        added: Set<String> = []
    ) throws(MigrationError) -> PlannedStages {
        let (path, places) = try places(from: stored, to: target)
        var (planned, check) = (PlannedStages(), check)
        for place in places {
            let title =
                isListed
                ? "Stage \(place - places.lowerBound + 1) of \(places.count) (\(path.stages[place].label)): "
                : ""
            do throws(MigrationError) {
                try path.add(
                    place, to: &planned, titled: title, schemaName: schemaName,
                    confirmedDrops: confirmedDrops,
                    shouldDefer: shouldDefer && place == places.upperBound - 1, &check, added: added)
            } catch {
                throw MigrationError(
                    error.code, title + error.message, refusals: error.refusals,
                    databaseError: error.databaseError, underlyingError: error.underlyingError)
            }
        }
        return planned
    }

    private func add(
        _ place: Int, to planned: inout PlannedStages, titled title: String, schemaName: String,
        confirmedDrops: Set<String>,
        shouldDefer: Bool, _ check: inout DropCheck?, added: Set<String>
    ) throws(MigrationError) {
        let (source, destination, stage) = (versions[place], versions[place + 1], stages[place])
        let (from, to) = (try source.needed(), try destination.needed())
        let mapped = try stage.mapping.map { mapping throws(MigrationError) in
            try mapping(from, to, schemaName)
        }
        let confirmed = confirmedDrops.union(stage.confirmedDrops)
        let difference = mapped == nil ? ModelDifference(from: from, to: to, confirmedDrops: confirmed) : nil
        let drops = try StageDrops(
            mapped?.losses ?? ModelLoss.all(from: from, to: to), inferred: difference, confirmed: confirmed,
            check, added: added)
        // Others may write until the tables are locked; what stages fill in is no such value.
        let recheckable = drops.empty.filter { check?.isAsWritten($0) ?? false }
        let isInferred = mapped == nil && !stage.handlers.areThere
        check?.pass(isInferred ? difference?.pairing : nil)
        if !drops.refusals.isEmpty {
            planned.refusals += drops.refusals
            var lines =
                [title + MigrationError.heading(of: drops.refusals)]
                + drops.refusals.map { "- \($0.message)" }
            if stage.kind == .custom, drops.refusals.contains(where: { !$0.isLoss }) {
                lines.append(
                    "To move values in a handler, insert a model version between the stage's two versions that has the old and the new "
                        + "properties. Or add the names of the dropped values to the stage's confirmedDrops.")
            }
            planned.complaints += lines
        }
        // A plan for a stage that inference does not lead through cannot be shown.
        if let difference, !difference.refusals.allSatisfy({ drops.confirmed.contains($0.confirmation) }) {
            return
        }
        let plan: MigrationPlan
        if let mapped {
            plan = mapped.plan
        } else {
            plan = try MigrationPlan(
                from: from, to: to, schemaName: schemaName, confirmedDrops: drops.confirmed,
                shouldDefer: shouldDefer && !stage.handlers.areThere)
        }
        planned.all.append(
            PlannedStage(
                stage: Stage(
                    label: stage.label, kind: stage.kind, handlers: mapped?.handlers ?? stage.handlers,
                    confirmedDrops: stage.confirmedDrops, mapping: nil),
                source: source, destination: destination, sourceModel: from, destinationModel: to, plan: plan,
                empty: recheckable, isListed: isListed))
    }

    /// The stages between two models, of the path with both models.
    private func places(
        from stored: ManagedObjectModel, to target: ManagedObjectModel
    ) throws(MigrationError) -> (MigrationPath, Range<Int>) {
        let checksum = stored.versionChecksum
        if target.hasChecksum(checksum) { return (self, 0..<0) }
        if !isListed { return (self, 0..<stages.count) }
        guard let end = place(of: target) else {
            throw MigrationError(
                .unlistedVersion,
                "No stage ends at the requested model (\(target.versionChecksum)). \(nearest(to: target, called: "the requested model")) "
                    + "Add a stage that ends at the requested model.")
        }
        guard let start = place(of: stored) else {
            throw MigrationError(
                .unlistedVersion,
                "The store has a version that no stage lists (\(checksum)). \(nearest(to: stored, called: "the store")) "
                    + "Add a stage that starts at this version, or use the program that created the store.")
        }
        guard start < end else {
            throw MigrationError(
                .newerStore,
                "The store has the version \(versions[start].name), which is newer than \(versions[end].name). "
                    + "Use a newer version of the program.")
        }
        var path = self
        path.supply(stored)
        path.supply(target)
        return (path, start..<end)
    }

    /// The place of a version in the list; nil if it is not listed.
    package func place(of model: ManagedObjectModel) -> Int? { place(of: ModelChecksums(model)) }

    func place(of checksums: ModelChecksums) -> Int? {
        versions.firstIndex { $0.isVersion(of: checksums) }
    }

    private static let differencesNamed = 10

    /// Which listed version differs least, and how.
    private func nearest(to model: ManagedObjectModel, called name: String) -> String {
        let candidates = versions.compactMap { version in
            version.model.map { (version, model.differences(from: $0).count, $0) }
        }
        guard let (version, _, nearest) = candidates.min(by: { $0.1 < $1.1 }) else {
            return "The listed versions are \(versions.map(\.name).joined(separator: ", "))."
        }
        let changes = ModelDifference(from: nearest, to: model).changes.map(\.description)
        let sentences = changes.isEmpty ? model.differences(from: nearest) : changes
        let more = sentences.count - Self.differencesNamed
        return "The nearest listed version is \(version.name). The differences from there to \(name): "
            + sentences.prefix(Self.differencesNamed).joined(separator: "; ")
            + (more > 0 ? "; and \(more) more differences." : ".")
    }
}

extension MigrationPath.Version {
    fileprivate func needed() throws(MigrationError) -> ManagedObjectModel {
        guard let model else {
            throw MigrationError(
                .missingModel,
                "The migration needs the model of the version \(name) (\(checksum)), but the stage has only its checksum. "
                    + "Create the stage with a ManagedObjectModelReference that has the model.")
        }
        return model
    }
}
