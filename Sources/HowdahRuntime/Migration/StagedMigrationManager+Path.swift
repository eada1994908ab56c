package import HowdahMigration

extension StagedMigrationManager {
    /// The versions and the kinds of the stages between them, for looking at: no handler is in it.
    ///
    /// - Throws: `MigrationError`.
    package func pathWithoutHandlers() throws(MigrationError) -> MigrationPath {
        var segments: [MigrationPath.Segment] = []
        for stage in stages {
            switch stage {
            case .lightweight(let stage):
                var versions: [MigrationPath.Version] = []
                for version in stage.versions { versions.append(try version.resolved()) }
                segments.append(MigrationPath.Segment(.lightweight, versions, label: stage.label))
            case .custom(let stage):
                segments.append(
                    MigrationPath.Segment(
                        .custom, [try stage.currentModel.resolved(), try stage.nextModel.resolved()],
                        label: stage.label, confirmedDrops: stage.confirmedDrops))
            }
        }
        return try MigrationPath(segments)
    }
}
