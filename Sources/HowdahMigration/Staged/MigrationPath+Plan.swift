package import HowdahModel

extension MigrationPath {
    /// A stage that a store needs: what leads to it, between which models, and the steps.
    struct Leg: Sendable {
        let hop: Hop
        let source: Version
        let destination: Version
        let sourceModel: ManagedObjectModel
        let destinationModel: ManagedObjectModel
        let plan: MigrationPlan
    }

    /// The stages that a store of the model `stored` needs to get to `target`; none where it has that model.
    ///
    /// - Throws: `MigrationError`: ``MigrationError/Code/unlistedVersion``, `newerStore`, `missingModel`, or of a stage's
    ///   inference.
    package func plan(
        from stored: ManagedObjectModel, to target: ManagedObjectModel, schemaName: String = "public",
        confirmedDrops: Set<String> = [], shouldDefer: Bool = false
    ) throws(MigrationError) -> StagedMigrationPlan {
        StagedMigrationPlan(
            try legs(
                from: stored, to: target, schemaName: schemaName, confirmedDrops: confirmedDrops,
                shouldDefer: shouldDefer))
    }

    /// The stages that take a store of the model `stored` to `target`, in order; none where it has that model.
    ///
    /// Everything is inferred before the first of them runs, so that what the last one lacks is known then. Only the last
    /// can leave work for later, and handlers rely on everything.
    ///
    /// - Throws: `MigrationError` with `unlistedVersion`, `newerStore`, `missingModel`, or of a stage's inference.
    func legs(
        from stored: ManagedObjectModel, to target: ManagedObjectModel, schemaName: String,
        confirmedDrops: Set<String>, shouldDefer: Bool = false
    ) throws(MigrationError) -> [Leg] {
        let checksum = stored.versionChecksum
        if checksum == target.versionChecksum { return [] }
        guard let end = place(of: target.versionChecksum) else {
            throw MigrationError(
                .unlistedVersion,
                "The stages do not lead to the model that is asked for (\(target.versionChecksum)); add a stage that does. "
                    + nearest(to: target, called: "it"))
        }
        guard let start = place(of: checksum) else {
            throw MigrationError(
                .unlistedVersion,
                "The store has a version that no stage lists (\(checksum)); list it, or use the program that made it. "
                    + nearest(to: stored, called: "the store"))
        }
        guard start < end else {
            throw MigrationError(
                .newerStore,
                "The store has the version \(versions[start].name), which comes after \(versions[end].name); "
                    + "use a newer version of the program.")
        }
        var path = self
        path.supply(stored)
        path.supply(target)
        var legs: [Leg] = []
        for place in start..<end {
            legs.append(
                try path.leg(
                    place, number: place - start + 1, of: end - start, schemaName: schemaName,
                    confirmedDrops: confirmedDrops, shouldDefer: shouldDefer && place == end - 1))
        }
        return legs
    }

    private func leg(
        _ place: Int, number: Int, of count: Int, schemaName: String, confirmedDrops: Set<String>,
        shouldDefer: Bool
    ) throws(MigrationError) -> Leg {
        let (source, destination, hop) = (versions[place], versions[place + 1], hops[place])
        let (from, to) = (try source.needed(), try destination.needed())
        do {
            if let mapping = hop.mapping {
                let (plan, handlers) = try mapping(
                    from, to, schemaName, confirmedDrops.union(hop.confirmedDrops))
                let mapped = Hop(
                    label: hop.label, kind: hop.kind, handlers: handlers, confirmedDrops: [],
                    mapping: nil)
                return Leg(
                    hop: mapped, source: source, destination: destination, sourceModel: from,
                    destinationModel: to, plan: plan)
            }
            let plan = try MigrationPlan(
                from: from, to: to, schemaName: schemaName,
                confirmedDrops: confirmedDrops.union(hop.confirmedDrops),
                shouldDefer: shouldDefer && !hop.handlers.areThere)
            return Leg(
                hop: hop, source: source, destination: destination, sourceModel: from, destinationModel: to,
                plan: plan)
        } catch {
            var message = "Stage \(number) of \(count) (\(hop.label)): \(error.message)"
            if error.code == .notInferable, hop.kind == .custom {
                message +=
                    "\nWhat a handler is to move needs a version between these two that has both the old and the new; or "
                    + "confirm with the stage's confirmedDrops."
            }
            throw MigrationError(
                error.code, message, refusals: error.refusals, underlying: error.underlying)
        }
    }

    private func place(of checksum: String) -> Int? { versions.firstIndex { $0.checksum == checksum } }

    private static let differencesNamed = 10

    /// Which listed version differs least, and how.
    private func nearest(to model: ManagedObjectModel, called name: String) -> String {
        let candidates = versions.compactMap { version in
            version.model.map { (version, model.differences(from: $0).count, $0) }
        }
        guard let (version, _, nearest) = candidates.min(by: { $0.1 < $1.1 }) else {
            return "Listed are \(versions.map(\.name).joined(separator: ", "))."
        }
        let changes = ModelDifference(from: nearest, to: model).changes.map(\.description)
        let sentences = changes.isEmpty ? model.differences(from: nearest) : changes
        let more = sentences.count - Self.differencesNamed
        return "The nearest listed version is \(version.name); from there to \(name): "
            + sentences.prefix(Self.differencesNamed).joined(separator: "; ")
            + (more > 0 ? "; and \(more) more differences." : ".")
    }
}

extension MigrationPath.Version {
    fileprivate func needed() throws(MigrationError) -> ManagedObjectModel {
        guard let model else {
            throw MigrationError(
                .missingModel,
                "The store passes through the version \(name) (\(checksum)), of which only the checksum is known; "
                    + "give the stage its model.")
        }
        return model
    }
}
