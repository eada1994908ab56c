package import HowdahModel

/// The versions of a model that stores pass through, in order, and what happens between each two.
///
/// A value: made from stages, and asked for the stages that one store needs.
package struct MigrationPath: Sendable {
    /// A version.
    package struct Version: Sendable {
        package let name: String
        package let checksum: String
        /// Nil where only the checksum was given.
        package var model: ManagedObjectModel?

        package init(name: String, checksum: String, model: ManagedObjectModel?) {
            self.name = name
            self.checksum = checksum
            self.model = model
        }

        /// Indicates whether the version has a model, known by any of their checksums.
        func isVersion(of other: ModelChecksums) -> Bool {
            other.has(checksum) || model?.hasChecksum(other.current) ?? false
        }
    }

    /// A migration of a store from one version to the next.
    package struct Stage: Sendable {
        package let label: String
        package let kind: StagedMigrationPlan.Kind
        package let handlers: StageHandlers
        package let confirmedDrops: Set<String>
        package let mapping: StageMapping?
    }

    /// A stage as the program gives it: any number of versions by inference, or one version to the next with handlers.
    package struct ListedStage: Sendable {
        package let kind: StagedMigrationPlan.Kind
        package let versions: [Version]
        package let label: String?
        package let handlers: StageHandlers
        package let confirmedDrops: Set<String>
        package let mapping: StageMapping?

        package init(
            _ kind: StagedMigrationPlan.Kind, _ versions: [Version], label: String?,
            handlers: StageHandlers = StageHandlers(), confirmedDrops: Set<String> = [],
            mapping: StageMapping? = nil
        ) {
            self.mapping = mapping
            self.kind = kind
            self.versions = versions
            self.label = label
            self.handlers = handlers
            self.confirmedDrops = confirmedDrops
        }
    }

    /// False if the path is one inference, and no program lists its stage.
    package let isListed: Bool
    package private(set) var versions: [Version] = []
    /// One fewer than the versions: the first one is between the first two versions.
    package private(set) var stages: [Stage] = []

    /// Puts the stages of a program in a row. Between the last version of one and another first version of the next,
    /// the stage is inferred.
    ///
    /// - Parameter isListed: False if the path is one inference.
    /// - Throws: `MigrationError` with `invalidStages` where a version is listed twice, or nothing is.
    package init(_ listed: [ListedStage], isListed: Bool = true) throws(MigrationError) {
        self.isListed = isListed
        for stage in listed {
            if stage.kind != .lightweight, Set(stage.versions.map(\.checksum)).count < 2 {
                throw MigrationError(
                    .invalidStages,
                    "The source and destination of the \(stage.kind.rawValue) stage \(stage.label ?? stage.versions.first?.name ?? "") "
                        + "are the same version, so no store would run the stage. Give the stage two different models. If their "
                        + "structure is the same, set a version hash modifier in one of them."
                )
            }
            for (place, version) in stage.versions.enumerated() {
                try add(version, reachedBy: stage, isFirst: place == 0)
            }
        }
        if versions.isEmpty {
            throw MigrationError(
                .invalidStages, "The migration lists no version. List all versions that stores may have.")
        }
    }

    private mutating func add(
        _ version: Version, reachedBy stage: ListedStage, isFirst: Bool
    ) throws(MigrationError) {
        if let last = versions.last, last.checksum == version.checksum {
            if last.model == nil { versions[versions.count - 1].model = version.model }
            return
        }
        if let earlier = versions.first(where: { $0.checksum == version.checksum }) {
            throw MigrationError(
                .invalidStages,
                "The version \(version.name) is listed twice\(earlier.name == version.name ? "" : ", also as \(earlier.name)"), "
                    + "with other versions between. List each version once, in the order of their creation. "
                    + "If the plan has the stage already, remove one of the two.")
        }
        if let last = versions.last {
            let names = "\(last.name) → \(version.name)"
            // What leads to a stage's first version is not the stage itself.
            stages.append(
                isFirst
                    ? Stage(
                        label: names, kind: .lightweight, handlers: StageHandlers(), confirmedDrops: [],
                        mapping: nil)
                    : Stage(
                        label: stage.label ?? names, kind: stage.kind, handlers: stage.handlers,
                        confirmedDrops: stage.confirmedDrops, mapping: stage.mapping))
        }
        versions.append(version)
    }

    /// Gives a model to versions that came with a checksum alone.
    package mutating func supply(_ model: ManagedObjectModel) {
        for place in versions.indices
        where versions[place].model == nil && model.hasChecksum(versions[place].checksum) {
            versions[place].model = model
        }
    }
}

/// Plans the mapping of a stage between two models, in a schema, and gives what runs its passes, and what it drops.
package typealias StageMapping =
    @Sendable (ManagedObjectModel, ManagedObjectModel, String) throws(MigrationError) -> (
        plan: MigrationPlan, handlers: StageHandlers, losses: [ModelLoss]
    )
