import Howdah

/// From tracks that have their artists as JSON to tracks with artists.
enum TracksPlan: SchemaMigrationPlan {
    static let stages: [MigrationStage] = [
        .mapped(
            from: TracksV1.self, to: TracksV2.self,
            mapping: MappingModel(entityMappings: [
                EntityMapping(
                    from: "Track", to: "Track",
                    attributeMappings: ["imageURL", "lastPlayedAt", "number", "title"].map {
                        PropertyMapping($0, .source($0))
                    }, entityMigrationPolicyClassName: "TrackPolicy")
            ]), policies: ["TrackPolicy": TrackPolicy.self])
    ]
}
